export const shell = {
  'app.name': ['Proofmark', 'Proofmark'],
  'place.page': ['Page', '页面'],
  'place.source': ['Source', '源码'],
  'place.changes': ['Changes', '更改'],
  'place.label': ['Places', '视图'],

  'bar.label': ['Document', '文档'],
  'bar.saved': ['saved', '已保存'],
  'bar.ahead': ['not in the file yet', '尚未写入文件'],
  'bar.version': ['r{n}', 'r{n}'],
  'bar.point': ['Point', '选取'],
  'bar.pointing': ['Pointing', '正在选取'],
  'bar.width': ['Width', '宽度'],
  'bar.zoom': ['Zoom', '缩放'],
  'bar.reload': ['Reload the page', '重新加载页面'],
  'bar.menu': ['Menu', '菜单'],
  'bar.panel': ['Notes and conversation', '批注与对话'],
  'bar.documents': ['Open another page', '打开其他页面'],
  'bar.fit': ['Fit', '适应'],

  'menu.theme': ['Theme', '主题'],
  'menu.theme.system': ['Like the system', '跟随系统'],
  'menu.theme.light': ['Light', '浅色'],
  'menu.theme.dark': ['Dark', '深色'],
  'menu.language': ['Language', '语言'],
  'menu.language.system': ['Like the system', '跟随系统'],
  'menu.review': ['Review every change first', '每次更改先审阅'],
  'menu.keys': ['Keys…', '快捷键…'],
  'menu.open': ['Open a page…', '打开页面…'],
  'menu.palette': ['All commands…', '所有命令…'],
  'menu.hints': ['Show the first hints again', '再次显示入门提示'],
  'menu.download': ['Download this version', '下载此版本'],
  'menu.review.export': ['Save a review to send on', '导出审阅文件'],
  'menu.offline': [
    'Take this page offline again ({n} {n:place|places} allowed)',
    '让此页面恢复离线（已允许 {n} 个来源）',
  ],
  'menu.about': ['Version {version}', '版本 {version}'],

  'open.title': ['Open an HTML page', '打开 HTML 页面'],
  'open.begin': [
    'Open an HTML page to begin. Nothing leaves this computer unless you allow it.',
    '打开一个 HTML 页面即可开始。未经允许，内容不会离开这台电脑。',
  ],
  'open.path': ['Path of the file', '文件路径'],
  'open.path.hint': ['/home/you/page.html', '/home/you/page.html'],
  'open.go': ['Open', '打开'],
  'open.recent': ['Opened before', '最近打开'],
  'open.none': ['Nothing was opened yet.', '还没有打开过页面。'],
  'open.drop': [
    'A dropped file has no path a program may read here. Type or paste its path instead.',
    '拖入的文件不带路径，无法直接打开。请输入或粘贴它的路径。',
  ],
  'open.absolute': ['Give the whole path, beginning with / or a drive letter.', '请输入完整路径，以 / 或盘符开头。'],

  'open.choose': ['Choose a file…', '选择文件…'],

  'desktop.old': [
    'This app is too old for pointing: it speaks protocol {n}. Source and history work.',
    '此应用版本过旧（协议 {n}），无法选取元素。源码和历史仍可使用。',
  ],
  'desktop.deaf': [
    'The app could not connect to the page, so one cannot point at it. Source and history work.',
    '应用未能连接到页面，无法选取元素。源码和历史仍可使用。',
  ],

  'pair.title': ['Pair this browser', '配对此浏览器'],
  'pair.text': [
    'Type the code that `proofmark serve` shows in its terminal. It is good for this browser only, until it is closed.',
    '请输入 `proofmark serve` 在终端中显示的配对码。它只对这个浏览器有效，关闭后失效。',
  ],
  'pair.code': ['Code', '配对码'],
  'pair.go': ['Pair', '配对'],
  'pair.wrong': [
    'That code is not valid any more. Take the one the terminal shows now.',
    '配对码已失效。请使用终端当前显示的配对码。',
  ],

  'state.lost': [
    'The gateway does not answer. Your text is kept; trying again…',
    '网关没有响应。文字已保留，正在重试……',
  ],
  'state.back': ['The gateway answers again.', '网关已恢复响应。'],
  'state.readonly': ['Nothing can be stored: {why}', '无法保存：{why}'],
  'state.killed.workbench': [
    'Pages are switched off by the operator. Versions and downloads still work.',
    '管理员已关闭页面功能。版本和下载仍可使用。',
  ],
  'state.killed.pointing': [
    'Pointing is switched off by the operator. Pages, versions and downloads still work.',
    '管理员已关闭选取功能。页面、版本和下载仍可使用。',
  ],
  'state.why': ['Reason: {why}', '原因：{why}'],
  'state.loading': ['Opening…', '正在打开……'],
  'state.outside': ['The file was changed by another program.', '文件被其他程序修改。'],
  'state.outside.taken': [
    'Another program changed the file. What it wrote is the newest version.',
    '其他程序修改了文件，其内容已成为最新版本。',
  ],
  'state.outside.compare': ['Compare', '比较'],
  'state.outside.theirs': ['Take theirs', '采用外部版本'],
  'state.outside.mine': ['Keep mine as a new version', '将我的保存为新版本'],

  'status.ready': ['ready', '就绪'],
  'status.label': ['Status', '状态'],
  'status.line': ['line {n}', '第 {n} 行'],
  'status.bytes': ['bytes {from}–{to}', '字节 {from}–{to}'],
  'status.hidden': ['not visible now', '当前不可见'],
  'status.offline': ['offline: {n} {n:origin|origins} blocked', '离线：已拦截 {n} 个来源'],
  'status.words': ['outside: unchanged', '其余未变'],

  'common.close': ['Close', '关闭'],
  'common.cancel': ['Cancel', '取消'],
  'common.retry': ['Try again', '重试'],
  'common.undo': ['Undo', '撤销'],
  'common.redo': ['Redo', '重做'],
  'common.open': ['Open', '打开'],
  'common.save': ['Save', '保存'],
  'common.use': ['use it', '使用它'],
  'common.desktop': [
    'Desktop required: this is a plain browser, and pointing needs the window that `proofmark open` starts.',
    '需要桌面窗口：这是普通浏览器，选取功能需要用 `proofmark open` 打开的窗口。',
  ],
  'common.desktop.short': ['Desktop required', '需要桌面窗口'],

  'saved.as': ['Saved as {name}.', '已保存为 {name}。'],

  'split.label': ['Width of the panel', '面板宽度'],

  'undo.done': ['Taken back, as version r{n}. Everything else is as it was.', '已撤销，成为版本 r{n}，其余内容未变。'],
  'redo.done': ['Put back as version r{n}.', '已重做，成为版本 r{n}。'],
  'undo.nothing': ['There is no change to take back.', '没有可撤销的更改。'],

  'refusal.no_gateway': ['The gateway does not answer.', '网关没有响应。'],
  'refusal.overlaps_later': [
    'A newer change edits the same place. Take that one back first.',
    '较新的更改修改了同一处，请先撤销它。',
  ],
  'refusal.nothing_to_redo': ['There is nothing to put back.', '没有可重做的内容。'],
} as const;
