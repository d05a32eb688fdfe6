// Characters that nobody sees, or that turn around how what follows is read. Joiners
// are none of them: scripts and emoji are written with them.
const turning = /[\u202a-\u202e\u2066-\u2069]/g;
const unseen = /([\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0001}-\u{e007f}])/u;

/** codeOf names a character: U+202E. */
export function codeOf(c: string): string {
  return `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** straight names the characters that would turn the sentence around in which a text stands. */
export function straight(text: string): string {
  return text.replace(turning, (c) => `‹${codeOf(c)}›`);
}

/** pieces parts a text: every second piece is a character that is not seen. */
export function pieces(text: string): string[] {
  return text.split(unseen);
}
