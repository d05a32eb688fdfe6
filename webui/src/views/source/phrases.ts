import { language } from '../../i18n';

// What CodeMirror itself says, by its own English words.
const zh: Record<string, string> = {
  Find: '查找',
  Replace: '替换',
  next: '下一个',
  previous: '上一个',
  all: '全选',
  'match case': '区分大小写',
  regexp: '正则表达式',
  'by word': '全词匹配',
  replace: '替换',
  'replace all': '全部替换',
  close: '关闭',
  'current match': '当前匹配',
  'on line': '位于第',
  'replaced $ matches': '已替换 $ 处',
  'replaced match on line $': '已替换第 $ 行的匹配',
  'Go to line': '转到行',
  go: '转到',
  'folded code': '已折叠的代码',
  unfold: '展开',
  'Fold line': '折叠',
  'Unfold line': '展开',
  'Folded lines': '已折叠第',
  'Unfolded lines': '已展开第',
  to: '至',
  'Control character': '控制字符',
  'Selection deleted': '已删除所选内容',
};

export function phrases(): Record<string, string> {
  return language.value === 'zh' ? zh : {};
}
