import type * as t from '../contract/types';
import { follow, type Follow } from './sse';
import type { Transport } from './transport';

const e = encodeURIComponent;

function query(q: Record<string, string | number | undefined>): string {
  const parts = Object.entries(q).flatMap(([k, v]) => (v === undefined || v === '' ? [] : [`${k}=${e(v)}`]));
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

export interface SendTurn {
  session: string;
  requestId: string;
  message: string;
  annotations: string[];
  seen: string[];
  model: string;
  width: number;
  height: number;
  allowOrigins?: string[];
  approve?: string[];
  review: boolean;
  write: boolean;
  scene?: t.SceneView | null;
}

/**
 * Every route the workbench calls, one method each, named after what it does.
 * Stores take a part of it (`Pick<Api, …>`), so a test hands in an object.
 */
export class Api {
  constructor(private readonly transport: Transport) {}

  // The gateway itself

  health = () => this.#get<t.Health>('/v1/health');
  preferences = () => this.#get<t.Preferences>('/v1/preferences');
  savePreferences = (p: t.Preferences) => this.#put<t.Preferences>('/v1/preferences', p);
  models = async () => (await this.#get<{ models: t.Model[] }>('/v1/models')).models;

  // Documents

  documents = async () => (await this.#get<{ documents: t.Doc[] }>('/v1/documents?limit=50')).documents;
  open = (path: string) => this.#post<t.Opened>('/v1/documents', { path });
  document = (id: string) => this.#get<t.Doc>(`/v1/documents/${e(id)}`);
  /** The bytes of a version, "" for the newest. */
  source = async (id: string, version = '', signal?: AbortSignal) =>
    (await this.transport.send(`/v1/documents/${e(id)}/source${query({ version })}`, { signal })).arrayBuffer();
  sync = (id: string, choice: t.SyncChoice) => this.#post<t.Synced>(`/v1/documents/${e(id)}/sync`, { choice });
  /** How history and file stand, and each change of theirs; nothing is resumed, a break begins anew. */
  watch = (id: string, f: Follow) => follow(this.transport, `/v1/documents/${e(id)}/watch`, f);
  write = (id: string) => this.#post<{ written: boolean }>(`/v1/documents/${e(id)}/write`);

  // History

  revisions = async (id: string, before?: number, limit = 200) =>
    (await this.#get<{ revisions: t.Version[] | null }>(`/v1/documents/${e(id)}/revisions${query({ before, limit })}`))
      .revisions ?? [];
  /** How a version's page looks, its upper part. */
  versionPicture = async (id: string, generation: number, width: number, signal?: AbortSignal) =>
    (
      await this.transport.send(`/v1/documents/${e(id)}/revisions/${generation}/picture${query({ width })}`, { signal })
    ).blob();
  changes = async (id: string, before?: number, limit = 100) =>
    (await this.#get<{ changes: t.ListedChange[] | null }>(`/v1/documents/${e(id)}/changes${query({ before, limit })}`))
      .changes ?? [];
  change = (id: string, change: string) => this.#get<t.ChangeSet>(`/v1/documents/${e(id)}/changes/${e(change)}`);
  diff = (id: string, q: { from?: string; to?: string; change?: string; context?: number }) =>
    this.#get<t.Diff>(`/v1/documents/${e(id)}/diff${query(q)}`);
  nameVersion = (id: string, generation: number, name: string, move = false) =>
    this.#put<unknown>(`/v1/documents/${e(id)}/names/${generation}`, { name, move });
  unnameVersion = (id: string, generation: number) =>
    this.#delete<unknown>(`/v1/documents/${e(id)}/names/${generation}`);

  // Taking back

  revert = (id: string, change: string, note = 0, write = true) =>
    this.#post<t.Made>(`/v1/documents/${e(id)}/changes/${e(change)}/revert`, { note, write });
  redo = (id: string, write = true) => this.#post<t.Made>(`/v1/documents/${e(id)}/redo`, { write });
  restore = (id: string, version: string, write = true) =>
    this.#post<t.Made>(`/v1/documents/${e(id)}/restore`, { version, write });

  // Previews

  openPreview = (
    id: string,
    q: { version?: string; width: number; height: number; place?: 'window'; allowOrigins?: string[] },
  ) => this.#post<t.Preview>(`/v1/documents/${e(id)}/previews`, { version: '', ...q });
  preview = (id: string) => this.#get<t.Preview>(`/v1/previews/${e(id)}`);
  reload = (id: string, version = '') => this.#post<t.Preview>(`/v1/previews/${e(id)}/reload`, { version });
  closePreview = (id: string) => this.#delete<undefined>(`/v1/previews/${e(id)}`);
  previewPicture = async (id: string, full = false, signal?: AbortSignal) =>
    (await this.transport.send(`/v1/previews/${e(id)}/picture${full ? '?full=1' : ''}`, { signal })).blob();
  allowOrigins = (id: string, allow: string[]) => this.#post<t.Preview>(`/v1/previews/${e(id)}/origins`, { allow });
  inspect = (id: string, on: boolean) => this.#put<unknown>(`/v1/previews/${e(id)}/inspect`, { on });
  pageHealth = (id: string) => this.#get<t.PageHealth>(`/v1/previews/${e(id)}/health`);
  pick = (id: string, target: string) => this.#post<t.Pick>(`/v1/previews/${e(id)}/picks`, { target });
  step = (id: string, pick: string, direction: t.Direction) =>
    this.#post<t.Pick>(`/v1/previews/${e(id)}/picks/${e(pick)}/step`, { direction });
  under = (id: string, pick: string) => this.#post<t.Under>(`/v1/previews/${e(id)}/under`, { pick });
  places = async (id: string, q: { annotations?: string[]; picks?: string[] }, signal?: AbortSignal) =>
    (
      await this.transport.json<{ places: t.Place[] | null }>(`/v1/previews/${e(id)}/places`, {
        method: 'POST',
        body: q,
        signal,
      })
    ).places ?? [];
  /** Outlines these and nothing else, while one points. */
  outlines = (id: string, outlines: readonly t.Outlined[]) =>
    this.#put<unknown>(`/v1/previews/${e(id)}/outlines`, { outlines });
  highlight = (id: string, pick: string, scroll = false) =>
    this.#put<unknown>(`/v1/previews/${e(id)}/highlight`, { pick, scroll });
  directEdits = (id: string, tasks: t.DirectTask[], approve: string[] = [], write = true) =>
    this.#post<t.Made>(`/v1/previews/${e(id)}/edits`, { tasks, approve, write });
  previewEvents = (id: string, f: Follow) => follow(this.transport, `/v1/previews/${e(id)}/events`, f);

  // Notes

  annotations = async (id: string, session: string, state: t.Annotation['state'] = 'draft') =>
    (
      await this.#get<{ annotations: t.Annotation[] | null }>(
        `/v1/documents/${e(id)}/annotations${query({ session, state })}`,
      )
    ).annotations ?? [];
  addNote = (id: string, q: { session: string; preview: string; picks: string[]; instruction: string }) =>
    this.#post<t.Annotation>(`/v1/documents/${e(id)}/annotations`, q);
  changeNote = (id: string, note: string, q: { session: string; instruction: string; seen: string }) =>
    this.#patch<t.Annotation>(`/v1/documents/${e(id)}/annotations/${e(note)}`, q);
  placeNote = (id: string, note: string, q: { session: string; place: number }) =>
    this.#put<unknown>(`/v1/documents/${e(id)}/annotations/${e(note)}/place`, q);
  discardNote = (id: string, note: string, q: { session: string; seen: string }) =>
    this.#delete<unknown>(`/v1/documents/${e(id)}/annotations/${e(note)}`, q);
  count = (
    id: string,
    q: { session: string; message: string; annotations: string[]; scene?: t.SceneView | null },
    signal?: AbortSignal,
  ) => this.transport.json<t.Count>(`/v1/documents/${e(id)}/count`, { method: 'POST', body: q, signal });

  // Reviews that are sent on

  exportReview = async (id: string, q: { version?: string; session?: string; form?: 'html' | 'json' }) =>
    (await this.transport.send(`/v1/documents/${e(id)}/review${query(q)}`)).blob();
  importReview = (id: string, session: string, review: string) =>
    this.#post<{ annotations: t.Annotation[] | null; there?: number }>(`/v1/documents/${e(id)}/review`, {
      session,
      review,
    });

  // Turns

  send = (id: string, q: SendTurn) => this.#post<t.Turn>(`/v1/documents/${e(id)}/turns`, q);
  again = (id: string, session: string, turn = '') =>
    this.#post<{ turn: string; ended: boolean; annotations: t.Annotation[] | null }>(
      `/v1/documents/${e(id)}/turns/again`,
      { session, turn },
    );
  turn = (id: string) => this.#get<t.Turn>(`/v1/turns/${e(id)}`);
  cancel = (id: string) => this.#post<unknown>(`/v1/turns/${e(id)}/cancel`);
  documentEvents = (id: string, f: Follow) => follow(this.transport, `/v1/documents/${e(id)}/events`, f);
  proposal = (turn: string) => this.#get<t.Proposal>(`/v1/turns/${e(turn)}/proposal`);
  proposalPicture = async (turn: string, side: 'before' | 'after') =>
    (await this.transport.send(`/v1/turns/${e(turn)}/proposal/${side}`)).blob();
  /** What a running turn saw last. */
  lookPicture = async (turn: string, side: 'before' | 'after', signal: AbortSignal) =>
    (await this.transport.send(`/v1/turns/${e(turn)}/look/${side}`, { signal })).blob();
  /** Somebody is reading: the countdown stands still for 10 seconds. */
  reading = (turn: string, sha256: string) =>
    this.#post<{ expiresMs: number }>(`/v1/turns/${e(turn)}/reading`, { sha256 });
  decide = (turn: string, sha256: string, commit: boolean) =>
    this.#post<unknown>(`/v1/turns/${e(turn)}/decision`, { sha256, commit });

  // Editing by hand

  edits = async (id: string) =>
    (await this.#get<{ edits: t.EditSession[] | null }>(`/v1/documents/${e(id)}/edits`)).edits ?? [];
  beginEdit = (id: string, version = '') => this.#post<t.EditSession>(`/v1/documents/${e(id)}/edits`, { version });
  edit = (id: string, edit: string) => this.#get<t.EditSession>(`/v1/documents/${e(id)}/edits/${e(edit)}`);
  saveEdit = (id: string, edit: string, text: string, seen: string, signal?: AbortSignal) =>
    this.transport.json<t.EditSession>(`/v1/documents/${e(id)}/edits/${e(edit)}`, {
      method: 'PUT',
      body: { text, seen },
      signal,
    });
  commitEdit = (id: string, edit: string, write = true) =>
    this.#post<{ merged: boolean; made: t.Made }>(`/v1/documents/${e(id)}/edits/${e(edit)}/commit`, { write });
  reopenEdit = (id: string, edit: string) =>
    this.#post<t.EditSession>(`/v1/documents/${e(id)}/edits/${e(edit)}/reopen`);
  endEdit = (id: string, edit: string) => this.#delete<unknown>(`/v1/documents/${e(id)}/edits/${e(edit)}`);

  #get<T>(path: string): Promise<T> {
    return this.transport.json<T>(path);
  }
  #post<T>(path: string, body?: unknown): Promise<T> {
    return this.transport.json<T>(path, { method: 'POST', ...(body !== undefined && { body }) });
  }
  #put<T>(path: string, body: unknown): Promise<T> {
    return this.transport.json<T>(path, { method: 'PUT', body });
  }
  #patch<T>(path: string, body: unknown): Promise<T> {
    return this.transport.json<T>(path, { method: 'PATCH', body });
  }
  #delete<T>(path: string, body?: unknown): Promise<T> {
    return this.transport.json<T>(path, { method: 'DELETE', ...(body !== undefined && { body }) });
  }
}
