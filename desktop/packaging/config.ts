// What is packaged, and how: read by electron-builder, and by a test as data.
import { readFileSync } from 'node:fs';
import type { Configuration } from 'electron-builder';

/** Every fuse is stated, also where the default is right: a default can change. */
export const fuses: Required<NonNullable<Configuration['electronFuses']>> = {
  runAsNode: false, // the app is no Node for whoever starts it
  enableNodeOptionsEnvironmentVariable: false, // nothing is loaded into it by the environment
  enableNodeCliInspectArguments: false, // no debugger of the main process
  enableCookieEncryption: true,
  enableEmbeddedAsarIntegrityValidation: true, // macOS and Windows; Electron has it on no Linux
  onlyLoadAppFromAsar: true, // a folder beside app.asar is not it
  loadBrowserProcessSpecificV8Snapshot: false,
  grantFileProtocolExtraPrivileges: false,
  resetAdHocDarwinSignature: true, // the flipped fuses would break the one Electron came with
};

interface Asked {
  /** With what the environment has of signing identities. */
  env: Record<string, string | undefined>;
  /** The version of the gateway inside. */
  version?: string | undefined;
}

/** An identity that electron-builder finds in the environment. */
function signedOn(os: 'mac' | 'win' | 'linux', env: Asked['env']): boolean {
  const has = (...names: string[]) => names.some((n) => (env[n] ?? '') !== '');
  if (os === 'mac') return has('CSC_LINK', 'CSC_NAME');
  return os === 'win' && has('WIN_CSC_LINK', 'CSC_LINK'); // AppImage and deb carry no signature of their own
}

export function configuration({ env, version }: Asked): Configuration {
  const name = (os: 'mac' | 'win' | 'linux') =>
    `Proofmark-\${version}-${os}-\${arch}${signedOn(os, env) ? '' : '-unsigned'}.\${ext}`;
  return {
    appId: 'app.proofmark.desktop',
    productName: 'Proofmark',
    copyright: 'The Proofmark authors',
    electronVersion: currentElectron(),
    directories: { output: 'out', buildResources: 'packaging' },
    files: ['dist/**', 'package.json'],
    asar: true,
    electronFuses: fuses,
    electronLanguages: ['en-US', 'en', 'zh-CN', 'zh_CN'],
    // The app says in About whether it is signed.
    extraMetadata: { ...(version !== undefined && { version }), unsigned: !signedOn(hostOS(), env) },
    extraResources: [{ from: '../bin', to: 'bin', filter: ['proofmark', 'proofmark.exe'] }],
    fileAssociations: [
      {
        ext: ['html', 'htm'],
        name: 'HTML page',
        description: 'HTML page',
        mimeType: 'text/html',
        role: 'Editor',
        rank: 'Alternate',
      },
    ],
    protocols: [{ name: 'Proofmark document', schemes: ['proofmark'], role: 'Viewer' }],
    // There is no update channel: nothing is asked for, nothing is written about one.
    publish: null,
    detectUpdateChannel: false,
    generateUpdatesFilesForAllChannels: false,
    npmRebuild: false,
    removePackageScripts: true,
    linux: {
      target: ['AppImage', 'deb'],
      executableName: 'proofmark',
      category: 'Development',
      synopsis: 'Point at an HTML page, say what should change',
      maintainer: 'The Proofmark authors <desktop@proofmark.invalid>',
      icon: 'packaging/icon.png',
      artifactName: name('linux'),
      // What a link or a file manager hands over stands behind this, and is no switch.
      executableArgs: ['--'],
    },
    mac: {
      target: ['dmg'],
      category: 'public.app-category.developer-tools',
      icon: 'packaging/icon.png',
      artifactName: name('mac'),
      hardenedRuntime: signedOn('mac', env),
      ...(!signedOn('mac', env) && { identity: null }),
      binaries: ['Contents/Resources/bin/proofmark'],
      notarize: signedOn('mac', env),
    },
    dmg: { writeUpdateInfo: false },
    win: { target: ['nsis'], icon: 'packaging/icon.png', artifactName: name('win') },
    nsis: { oneClick: false, perMachine: false, allowToChangeInstallationDirectory: false, differentialPackage: false },
  };
}

/** Built with the Electron that is current, not with the one that tests run. */
function currentElectron(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { devDependencies } = JSON.parse(text) as { devDependencies: Record<string, string> };
  return devDependencies['electron-current']?.split('@').at(-1) ?? '';
}

function hostOS(): 'mac' | 'win' | 'linux' {
  return process.platform === 'darwin' ? 'mac' : process.platform === 'win32' ? 'win' : 'linux';
}

export default configuration({ env: process.env, version: process.env['PROOFMARK_VERSION'] });
