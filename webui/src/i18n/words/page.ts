export const page = {
  'page.frame': ['The page', '页面'],
  'page.loading': ['Loading the page…', '正在加载页面……'],
  'page.looking': ['looking at the page', '正在查看页面'],
  'page.failed': ['The page could not be shown.', '无法显示页面。'],
  'page.left': ['The page went to another address, which is not shown here.', '页面跳转到了其他地址，此处不显示。'],
  'page.left.again': ['Load the page again', '重新加载页面'],
  'page.keys': [
    'Keys go to the page now. Click beside it, or press Point, for the keys of the workbench.',
    '按键现在由页面接收。点击页面以外的地方或“选取”按钮，即可使用工作台的按键。',
  ],
  'page.still': ['A picture of the page, for this is a plain browser.', '这是普通浏览器，显示的是页面的图片。'],

  'page.still.app': ['A picture of the page.', '页面的图片。'],

  'rail.label': ['Notes on the page', '页面上的批注'],
  'rail.above': ['{n} {n:note|notes} further up. Go to note {to}.', '上方还有 {n} 条批注，转到批注 {to}。'],
  'rail.below': ['{n} {n:note|notes} further down. Go to note {to}.', '下方还有 {n} 条批注，转到批注 {to}。'],

  'origins.bar': [
    'This page asks for {n} {n:place|places} on the network: {origins}',
    '此页面请求访问 {n} 个网络来源：{origins}',
  ],
  'origins.allow': ['Allow for this page', '允许此页面访问'],
  'origins.stay': ['Stay offline', '保持离线'],
  'missing.bar': ['{n} {n:file is|files are} not beside the page: {files}', '页面旁缺少 {n} 个文件：{files}'],

  'console.badge': ['{n} {n:message|messages} of the page', '页面消息 {n} 条'],
  'console.title': ['What the page reports', '页面报告'],
  'console.errors': ['Errors', '错误'],
  'console.said': ['Console', '控制台'],
  'console.missing': ['Missing files', '缺少的文件'],
  'console.none': ['The page reports nothing.', '页面没有报告任何内容。'],
  'console.dropped': ['{n} more were not kept.', '另有 {n} 条未保留。'],

  'pick.on': [
    'Pointing: click an element, Ctrl click for several. Esc ends it.',
    '正在选取：点击元素，按住 Ctrl 点击可多选，按 Esc 结束。',
  ],
  'pick.selected': ['{n} selected', '已选 {n} 个'],
  'pick.kept': [
    'Kept. Go on with the arrows; Space adds what they come to.',
    '已保留。用方向键继续移动，按空格键加入所到的元素。',
  ],
  'pick.end': ['There is no element that way.', '这个方向没有元素。'],
  'pick.under': ['What lies under the pointer', '指针下的元素'],
  'pick.under.stack': ['Under the pointer', '指针之下'],
  'pick.under.chain': ['Around it', '外层元素'],
  'pick.nothing': ['Nothing is selected. Press P to point.', '尚未选择元素。按 P 开始选取。'],
  'pick.at': ['Point by name', '按名称选取'],
  'pick.at.hint': ['h1, #list, .price', 'h1、#list、.price'],
  'pick.nearest': ['The nearest place that is: {tag}', '最近的源位置：{tag}'],
  'pick.remove': ['Take {name} out of the selection', '从所选中移除 {name}'],

  'refusal.script_made': [
    'A script made this element, so it is not in the file.',
    '这个元素由脚本生成，源文件中没有它。',
  ],
  'refusal.iframe': [
    'This lies in a page inside the page, which has a file of its own.',
    '它位于内嵌页面中，属于另一个文件。',
  ],
  'refusal.shadow': [
    'This lies in a component’s closed part, which the file does not hold.',
    '它位于组件内部，源文件中没有它。',
  ],
  'refusal.pseudo': ['The style sheet draws this; it is no element of the file.', '它由样式表绘制，不是文件中的元素。'],
  'refusal.detached': ['The page has just taken this element away.', '页面刚刚移除了这个元素。'],
  'refusal.ambiguous': ['Several places in the file could have made this element.', '源文件中有多处可能生成这个元素。'],
  'refusal.changed': [
    'A script changed this element, so it differs from the file.',
    '脚本修改了这个元素，与源文件不同。',
  ],
  'refusal.no_source': [
    'The browser added this element; the file has no tag for it.',
    '浏览器补上了这个元素，源文件中没有对应的标签。',
  ],
  'refusal.parser_difference': [
    'This place of the file is read in two ways, so it is left alone.',
    '文件此处存在歧义，因此不作修改。',
  ],
  'refusal.surface_changed': [
    'The page changed while you pointed. Point once more.',
    '选取时页面发生了变化，请再选一次。',
  ],
  'refusal.stale_epoch': ['The page was loaded again. Point once more.', '页面已重新加载，请再选一次。'],
  'refusal.selector_no_match': ['No element of the page matches that.', '页面中没有匹配的元素。'],
  'refusal.selector_ambiguous': ['Several elements match that; be more exact.', '有多个元素匹配，请更精确一些。'],
  'refusal.selector_invalid': ['That is not a selector.', '这不是有效的选择器。'],

  'key.parent': ['Parent element', '上级元素'],
  'key.child': ['First child', '第一个子元素'],
  'key.previous': ['Previous sibling', '上一个同级元素'],
  'key.next': ['Next sibling', '下一个同级元素'],
  'key.add': ['Add to the selection', '加入所选'],
  'key.write': ['Write the note', '写批注'],
  'key.nearest': ['Use the nearest place', '使用最近的位置'],
  'key.back': ['Back', '返回'],
  'key.note.next': ['Next note', '下一条批注'],
  'key.note.previous': ['Previous note', '上一条批注'],

  'hint.title': ['First minute', '第一分钟'],
  'hint.1': [
    'Point here: press {key}, or Point above, then click the heading.',
    '在这里选取：按 {key} 或点上方的“选取”，然后点击标题。',
  ],
  'hint.2': [
    'Say this: change the text to "Hello". Then {key} sends it, and {yes} approves it.',
    '写下：把文字改成“你好”。按 {key} 发送，再按 {yes} 批准。',
  ],
  'hint.3': ['Take it back: {key} undoes the last change.', '随时撤销：按 {key} 撤销上一次更改。'],
  'hint.gone': ['Do not show again', '不再显示'],
} as const;
