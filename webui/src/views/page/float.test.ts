import { describe, expect, it } from 'vitest';
import { placeCard } from './float';

const room = { width: 800, height: 600 };
const at = (scale: number, x = 0, y = 0) => ({ scale, origin: { x, y } });
const card = { width: 320, height: 160 };

describe('a card at an element', () => {
  it('stands below it', () => {
    expect(placeCard({ x: 40, y: 40, width: 100, height: 20 }, at(1), card, room)).toEqual({
      left: '40px',
      top: '68px',
    });
  });

  it('stands above where there is no room below', () => {
    expect(placeCard({ x: 40, y: 500, width: 100, height: 60 }, at(1), card, room).top).toBe('332px');
  });

  it('stays in view, whatever the element does', () => {
    expect(placeCard({ x: 790, y: -900, width: 10, height: 10 }, at(1), card, room)).toEqual({
      left: '472px',
      top: '8px',
    });
    expect(placeCard({ x: 0, y: -50, width: 800, height: 900 }, at(1), card, room).top).toBe('432px');
    expect(placeCard({ x: 0, y: 5000, width: 10, height: 10 }, at(1), card, room).top).toBe('432px');
  });

  it('follows the zoom', () => {
    expect(placeCard({ x: 40, y: 40, width: 100, height: 20 }, at(2), card, room)).toEqual({
      left: '80px',
      top: '128px',
    });
  });

  it('stands beside a page that is narrower than it', () => {
    const phone = { x: 10, y: 10, width: 100, height: 20 };
    expect(placeCard(phone, at(0.5, 300), card, room)).toEqual({ left: '305px', top: '23px' });
  });

  it('keeps to the start where there is no room at all', () => {
    expect(placeCard({ x: 5, y: 5, width: 5, height: 5 }, at(1), card, { width: 100, height: 100 }).left).toBe('8px');
  });
});
