import type { CardAnswer, CardWords, Desktop } from '../contract/desktop';
import type { Rect } from '../contract/types';

export interface CardHearer {
  type(text: string): void;
  choose(choice: string): void;
  back(): void;
}

/**
 * The card that the desktop app draws above the page. What is typed there comes
 * back as drafts; the field takes a text only when it is another one than it holds.
 */
export class NativeCard {
  #hearer: CardHearer | null = null;
  /** Which text the field was given; null while there is no card. */
  #given: string | null = null;
  #revision = 0;
  #last = '';

  constructor(private readonly desktop: Pick<Desktop, 'card' | 'onCard'> | null) {
    desktop?.onCard((m) => this.#hear(m));
  }

  /** Says who is told what a person does with the card. Gives a function that ends it. */
  hear(hearer: CardHearer): () => void {
    this.#hearer = hearer;
    return () => {
      if (this.#hearer !== hearer) return;
      this.#hearer = null;
      this.hide();
    };
  }

  /**
   * `given` is another one when somebody else changed the text. The texts themselves
   * do not tell: what is drawn may be older than what was heard last.
   */
  show(rect: Rect, words: CardWords, given: string): void {
    if (given !== this.#given) this.#revision++;
    this.#given = given;
    const card = { rect, ...words, revision: this.#revision };
    const all = JSON.stringify(card);
    if (all === this.#last) return;
    this.#last = all;
    this.desktop?.card(card);
  }

  /** What is on its way from the field still arrives. */
  hide(): void {
    this.#given = null;
    if (this.#last === '') return;
    this.#last = '';
    this.desktop?.card(null);
  }

  #hear(m: CardAnswer): void {
    const hearer = this.#hearer;
    if (hearer === null) return;
    if (m.type === 'cancel') {
      hearer.back();
      return;
    }
    hearer.type(m.text);
    if (m.type === 'submit') hearer.choose(m.choice);
  }
}
