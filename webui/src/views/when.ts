import { language } from '../i18n';

function tag(): string {
  return language.value === 'zh' ? 'zh-CN' : 'en';
}

/** A point in time: only what is needed to know it, by how long ago it is. */
export function whenText(at: string, now = new Date()): string {
  const date = new Date(at);
  const time = timeText(at);
  if (date.toDateString() === now.toDateString()) return language.value === 'zh' ? `今天 ${time} ` : `at ${time}`;
  const day = dateText(date, now);
  return language.value === 'zh' ? `${day} ${time} ` : `on ${day}, ${time}`;
}

export function timeText(at: string): string {
  return new Intl.DateTimeFormat(tag(), { hour: '2-digit', minute: '2-digit', hour12: false }).format(new Date(at));
}

export function dateText(date: Date, now = new Date()): string {
  const year = date.getFullYear() === now.getFullYear() ? undefined : ('numeric' as const);
  return new Intl.DateTimeFormat(tag(), { day: 'numeric', month: 'long', ...(year && { year }) }).format(date);
}
