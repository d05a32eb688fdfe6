import { render } from 'preact';
import { effect, untracked } from '@preact/signals';
import { Api } from './api/api';
import { Host } from './api/host';
import { Transport } from './api/transport';
import type { Desktop } from './contract/desktop';
import { language, languageOf, t } from './i18n';
import { connect, createApp, type App } from './state/app';
import { beat } from './state/features';
import { nameOpen } from './state/named';
import { refuseDrops } from './ui/drops';
import { guardFocus, keepFocus } from './ui/focus';
import { AppContext } from './views/context';
import { deskwork } from './views/desktop';
import { Pair } from './views/shell/Pair';
import { Shell } from './views/shell/Shell';
import { standing } from './views/shell/standing';
import './ui/tokens.css';
import './ui/ui.css';

declare global {
  interface Window {
    /** An operator's word, given by whoever embeds the workbench; read once. */
    PROOFMARK_FEATURES?: Record<string, unknown>;
    /** The desktop app, where the workbench runs in it. */
    proofmarkDesktop?: Desktop;
  }
}

async function start(root: HTMLElement): Promise<void> {
  const operator = window.PROOFMARK_FEATURES ?? null;
  language.value = languageOf(navigator.languages);
  const desktop = window.proofmarkDesktop ?? null;
  const host = new Host((input, init) => fetch(input, init), Date.now, desktop);
  await host.greet().catch(() => null);
  if (host.kind === 'none') {
    await new Promise<void>((resolve) =>
      render(
        <main>
          <Pair host={host} onPaired={resolve} />
        </main>,
        root,
      ),
    );
  }
  const transport = new Transport((input, init) => fetch(input, init), host);
  const mac = navigator.platform.startsWith('Mac');
  const app = createApp(new Api(transport), host, mac, operator, desktop);
  wire(app, transport);
  render(
    <AppContext.Provider value={app}>
      <Shell />
    </AppContext.Provider>,
    root,
  );
  await Promise.all([app.features.load(), app.preferences.load()]);
  await nameOpen(app.api, app.documents, window);
}

/** What goes on for as long as the window is open. */
function wire(app: App, transport: Transport): void {
  const { features, preferences, documents, actions } = app;
  transport.onAnswer = (alive) => {
    if (features.alive.peek() !== alive) features.alive.value = alive;
  };
  transport.onRefusal = (r) => {
    if (r.status === 401 && app.host.kind === 'none') app.places.unpaired.value = true;
    if (r.isFeatureOff) features.refused(r.detail, r.message);
  };
  window.addEventListener('keydown', (e) => {
    actions.handleKey(e);
  });
  keepFocus();
  refuseDrops(app.desktop === null ? null : (file) => app.desktop?.dropped(file));
  // While one points, every key is the workbench's.
  guardFocus(
    () => app.pick.mode.peek(),
    () => app.status.say(t('page.keys')),
  );
  standing(app);
  connect(app);
  if (app.desktop !== null) deskwork(app, app.desktop);

  effect(() => {
    const theme = preferences.theme.value;
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  });
  effect(() => {
    const wanted = preferences.language.value;
    language.value = wanted === 'system' ? languageOf(navigator.languages) : wanted;
    document.documentElement.lang = language.value === 'zh' ? 'zh-Hans' : 'en';
  });
  effect(() => {
    const doc = documents.current.value;
    document.title = doc === null ? 'Proofmark' : `${doc.name} – Proofmark`;
  });
  // Keys: what is stored comes in once, what a person binds goes out.
  let keysIn = false;
  effect(() => {
    const bound = actions.bindings.value;
    if (!preferences.loaded.value) return;
    untracked(() => {
      const kept = preferences.keys.value;
      if (keysIn) {
        if (JSON.stringify(bound) !== JSON.stringify(kept)) preferences.set('keys', { ...bound });
      } else {
        keysIn = true;
        // Outside of this effect, which follows the very signal.
        queueMicrotask(() => {
          actions.bindings.value = { ...kept, ...actions.bindings.value };
        });
      }
    });
  });

  setInterval(() => {
    if (document.visibilityState === 'hidden') return;
    void features.load();
  }, beat);
  const look = () => {
    if (document.visibilityState === 'hidden') void preferences.flush();
    else void features.load();
  };
  document.addEventListener('visibilitychange', look);
  window.addEventListener('focus', look);
}

const root = document.getElementById('workbench');
if (root !== null) void start(root);
