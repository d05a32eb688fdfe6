import { describe, expect, it } from 'vitest';
import { allowed, layerOf, resolveFrom } from '../scripts/layers.mjs';

describe('layers', () => {
  it('are read from the path', () => {
    expect(layerOf('/x/src/views/page/Frame.tsx')).toBe('views');
    expect(layerOf('/x/src/main.tsx')).toBe('');
    expect(layerOf(resolveFrom('/x/src/views/page/Frame.tsx', '../../state/app'))).toBe('state');
    expect(layerOf(resolveFrom('/x/src/views/page/Frame.tsx', '../../i18n'))).toBe('i18n');
    expect(layerOf(resolveFrom('C:\\x\\src\\ui\\a.tsx', '../lib/keys'))).toBe('lib');
  });

  it('point one way', () => {
    expect(allowed('views', 'state')).toBe(true);
    expect(allowed('state', 'views')).toBe(false);
    expect(allowed('ui', 'i18n')).toBe(false);
    expect(allowed('ui', 'lib')).toBe(true);
    expect(allowed('contract', 'lib')).toBe(false);
    expect(allowed('state', 'state')).toBe(true);
    expect(allowed('', 'views')).toBe(true);
    expect(allowed('nowhere', 'lib')).toBe(false);
  });
});
