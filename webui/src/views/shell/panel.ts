import type { App } from '../../state/app';

/** Folds the panel, or shows it. Below 900 px it is a drawer, which opens over the page. */
export function togglePanel({ preferences, places }: App): void {
  if (window.matchMedia('(max-width: 899px)').matches) {
    preferences.set('panelOpen', true);
    places.drawer.value = !places.drawer.value;
  } else preferences.set('panelOpen', !preferences.panelOpen.value);
}
