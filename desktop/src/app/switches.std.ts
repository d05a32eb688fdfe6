// Switches of Chromium and Node on the command line. An installed app takes only
// those that are known to be harmless: others open it to a debugger, take its
// sandbox away, or lead its traffic elsewhere.

const harmless = new Set([
  'disable-gpu',
  'enable-features=WaylandWindowDecorations',
  'force-device-scale-factor',
  'force-renderer-accessibility',
  'high-dpi-support',
  'lang',
  'ozone-platform',
  'ozone-platform-hint',
  'user-data-dir', // where this account keeps the app's own files; it holds no secret of the gateway's
]);

/** The first argument an installed app must not be started with; null: it may start. */
export function refusedSwitch(args: readonly string[], o: { windows: boolean; root: boolean }): string | null {
  for (const arg of args) {
    if (arg === '--') return null; // what follows is no switch to anybody
    const bare = /^(?:--|-)(.+)$/.exec(arg)?.[1] ?? (o.windows ? /^\/([a-z-]+(?:=.*)?)$/i.exec(arg)?.[1] : undefined);
    if (bare === undefined) continue;
    if (/^psn_\d+_\d+$/.test(bare)) continue; // macOS says so on the first start
    const name = bare.split('=')[0]?.toLowerCase() ?? '';
    if (harmless.has(name) || harmless.has(bare)) continue;
    // Chromium itself refuses to run as root with its sandbox.
    if (name === 'no-sandbox' && o.root) continue;
    return arg;
  }
  return null;
}
