import { describe, expect, it } from 'vitest';
import { find, type Entry, type Group } from './entries';

function entry(group: Group, label: string, aside = ''): Entry {
  return { id: label, group, label, aside, run: () => undefined };
}

const all = [
  entry('actions', 'Point', 'P'),
  entry('actions', 'Save as a version', 'Ctrl S'),
  entry('documents', 'landing.html', '/srv/pages/landing.html'),
  entry('versions', 'Version 6, “before the launch”: set the title'),
  entry('notes', 'Note 1: make the prices bold'),
];

describe('find', () => {
  it('shows all, kind by kind, where nothing is asked', () => {
    expect(find(all, '').map((e) => e.group)).toEqual(['actions', 'actions', 'documents', 'versions', 'notes']);
  });

  it('puts the kind with the best one first', () => {
    expect(find(all, 'launch')[0]?.label).toContain('before the launch');
    expect(find(all, 'prices')[0]?.group).toBe('notes');
    expect(find(all, 'save')[0]?.label).toBe('Save as a version');
  });

  it('finds a page by its folder, too', () => {
    expect(find(all, 'srv').map((e) => e.label)).toEqual(['landing.html']);
  });

  it('shows a bounded number of each kind', () => {
    const many = Array.from({ length: 500 }, (_, i) => entry('versions', `Version ${i}`));
    expect(find(many, 'version').length).toBe(12);
  });
});
