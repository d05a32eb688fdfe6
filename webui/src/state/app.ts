import type { Api } from '../api/api';
import type { Host } from '../api/host';
import { refusalOf } from '../api/refusal';
import { refusalText } from '../i18n';
import { Actions } from '../lib/actions';
import { Documents } from './documents';
import { Features } from './features';
import { Link } from './link';
import { PickedElement } from './picked';
import { Places } from './places';
import { Preferences } from './preferences';
import { Source } from './source';
import { Status } from './status';

/** The workbench's own drafts and turns go by this name, so that they are there after a restart. */
export const session = 'workbench';

/** Everything the views read. Made once by the entry; a test makes its own with its own Api. */
export interface App {
  api: Api;
  host: Host;
  status: Status;
  preferences: Preferences;
  features: Features;
  documents: Documents;
  places: Places;
  actions: Actions;
  element: PickedElement;
  source: Source;
  link: Link;
}

export function createApp(api: Api, host: Host, mac: boolean, operator: Record<string, unknown> | null): App {
  const status = new Status();
  const report = (thrown: unknown) => {
    const r = refusalOf(thrown);
    if (r.code !== 'cancelled') status.say([refusalText(r), r.hint].filter(Boolean).join(' '), 'bad');
  };
  const documents = new Documents(api, status);
  const element = new PickedElement();
  return {
    api,
    host,
    status,
    preferences: new Preferences(api, status),
    features: new Features(api, host.hello?.features, operator),
    documents,
    places: new Places(),
    actions: new Actions(mac, report),
    element,
    source: new Source(api, documents, status),
    link: new Link(api, element),
  };
}
