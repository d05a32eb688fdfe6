import { computed, effect, type ReadonlySignal, untracked } from '@preact/signals';
import type { Api } from '../api/api';
import type { Host } from '../api/host';
import type { Desktop } from '../contract/desktop';
import { refusalOf } from '../api/refusal';
import { refusalText, t } from '../i18n';
import { Actions } from '../lib/actions';
import { Changes } from './changes';
import { Direct } from './direct';
import { Documents } from './documents';
import { editorScene } from './editorScene';
import { Features } from './features';
import { Link } from './link';
import { Lit } from './lit';
import { Looks } from './looks';
import { NativeCard } from './nativeCard';
import { Notes } from './notes';
import { Outside } from './outside';
import { PickStore } from './pick';
import { PickedElement } from './picked';
import { Pins } from './pins';
import { Places } from './places';
import { Preferences } from './preferences';
import { PreviewStore } from './preview';
import { Reviewing } from './review';
import { Slot } from './slot';
import { Source } from './source';
import { Status } from './status';
import { Talk } from './talk';

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
  preview: PreviewStore;
  pick: PickStore;
  notes: Notes;
  pins: Pins;
  direct: Direct;
  talk: Talk;
  source: Source;
  link: Link;
  changes: Changes;
  looks: Looks;
  outside: Outside;
  reviewing: Reviewing;
  /** The app the workbench runs in, where it shows the page itself; null in a window and in a plain browser. */
  desktop: Desktop | null;
  slot: Slot;
  lit: Lit;
  card: NativeCard;
}

export function createApp(
  api: Api,
  host: Host,
  mac: boolean,
  operator: Record<string, unknown> | null,
  desktop: Desktop | null = null,
): App {
  const status = new Status();
  const report = (thrown: unknown) => {
    const r = refusalOf(thrown);
    if (r.code !== 'cancelled') status.say([refusalText(r), r.hint].filter(Boolean).join(' '), 'bad');
  };
  const preferences = new Preferences(api, status);
  const features = new Features(api, operator);
  const documents = new Documents(api, status);
  const places = new Places();
  const element = new PickedElement();
  const preview = new PreviewStore(api, host, element, status, preferences);
  const pick = new PickStore(api, host, preview, element, features, places, status);
  const notes = new Notes(api, session, status);
  const source = new Source(api, documents, status);
  const direct = new Direct(
    api,
    (m) => documents.made(m),
    () => preferences.write.value,
    status,
  );
  const talk = new Talk(
    api,
    session,
    notes,
    preferences,
    {
      scene: () => ({
        view: viewNames[places.place.value],
        preview: preview.id.value ?? '',
        editor: editorScene(source),
      }),
      size: () => preview.view.value,
      allowed: () => preview.preview.value?.allowedOrigins ?? [],
    },
    status,
  );
  return {
    api,
    host,
    status,
    preferences,
    features,
    documents,
    places,
    actions: new Actions(mac, report),
    element,
    preview,
    pick,
    notes,
    pins: new Pins(api),
    direct,
    talk,
    source,
    link: new Link(api, element),
    changes: new Changes(api, documents, status, places),
    looks: new Looks(api),
    outside: new Outside(api, documents, status),
    reviewing: new Reviewing(api, session, documents, places, talk, () => notes.load(), status),
    desktop,
    slot: new Slot(desktop),
    lit: new Lit(api),
    card: new NativeCard(desktop),
  };
}

const viewNames = { page: 'Preview', source: 'Source', changes: 'Changes' } as const;

/** Makes the effect that calls it run again when one of these changes. */
function follow(...signals: ReadonlySignal<unknown>[]): void {
  signals.map((s) => s.value);
}

/** connect makes the stores follow each other. Gives a function that ends it. */
export function connect(app: App): () => void {
  const { documents, preview, pick, notes, pins, talk, places, features, status } = app;
  talk.onWaits = (turn) => {
    places.review.value = turn;
  };
  talk.onEnded = (turn) => {
    // What happened last is what this came to.
    const { result } = turn;
    if (result?.status === 'applied' && result.writeError === undefined)
      status.say(t('card.applied', { n: result.edits?.length ?? 0 }), 'good');
    void notes.load();
    void documents.refresh();
    // One that nobody decided in time says so, and offers its notes as drafts.
    if (places.review.value === turn.id && turn.expired !== true) places.review.value = null;
  };

  let open: string | null = null;
  let wasOff = false;
  // An effect follows what it reads itself, and not what the stores read that it calls.
  const ends = [
    // Another document: everything that belongs to the old one is let go.
    effect(() => {
      const id = documents.id.value;
      if (id === open) return;
      // The first one is not another.
      if (open !== null) status.clear();
      open = id;
      untracked(() => {
        places.review.value = null;
        places.activeNote.value = null;
        void pick.leave();
        if (id === null) {
          talk.close();
          void preview.close();
          return;
        }
        void notes.open(id);
        talk.open(id);
        void preview.open(id, documents.generation.peek());
      });
    }),
    // A newer version of the same one is shown in the same frame.
    effect(() => {
      const generation = documents.generation.value;
      if (generation === 0) return;
      untracked(() => {
        void preview.follow(generation);
        void documents.loadFates();
      });
    }),
    effect(() => {
      if (preview.loads.value > 0) untracked(() => void pick.again());
    }),
    // Why one could not point is over.
    effect(() => {
      const off = features.annotations.value !== null;
      if (wasOff && !off) status.clear();
      wasOff = off;
    }),
    effect(() => {
      const phase = preview.phase.value;
      const off = features.annotations.value !== null;
      if (off || phase === 'failed' || phase === 'gone') untracked(() => void pick.leave());
    }),
    // The selection opens the box, and other targets go into the box that stands.
    effect(() => {
      const id = preview.id.value;
      const selection = pick.selection.value;
      const writing = pick.writing.value;
      untracked(() => {
        if (writing && id !== null && selection.length > 0) notes.begin(id, selection);
        else void notes.end();
      });
    }),
    effect(() => {
      const shown = preview.phase.value === 'shown' ? preview.id.value : null;
      // Those of a turn that works keep their pins, so that one sees what it is about.
      const sent = talk.sent.value.map((n) => n.annotationId);
      const ids = [...notes.list.value.map((n) => n.id), ...sent];
      const picks = [...new Set([...pick.selection.value, pick.cursor.value].flatMap((p) => p?.handle ?? []))];
      untracked(() => pins.follow(shown, ids, picks));
    }),
    effect(() => {
      if (preview.moved.value + preview.loads.value > 0) untracked(() => pins.ask());
    }),
    // A note that is lit is brought into the view, where it was found last.
    effect(() => {
      const lit = places.activeNote.value;
      untracked(() => {
        const byte = lit === null ? null : byteOf(app, lit);
        if (byte !== null) void pick.bring(byte);
      });
    }),
    // What would be sent changed.
    effect(() => {
      follow(notes.list, places.place);
      untracked(() => talk.recount());
    }),
  ];
  const more = app.desktop !== null && app.host.inWindow ? connectDesktop(app) : [];
  return () => [...ends, ...more].forEach((end) => end());
}

/** Where a note's element begins in the version that is shown; null where it is not known to be there. */
function byteOf({ notes, talk, preview }: App, id: string): number | null {
  const sent = talk.sent.value.find((n) => n.annotationId === id);
  const counted = talk.count.value?.notes?.find((n) => n.annotationId === id);
  const note = notes.list.value.find((n) => n.id === id);
  if (note === undefined && sent === undefined) return null;
  const anchor = (counted ?? sent)?.targets?.[0]?.anchor ?? note?.anchors[0];
  if (anchor === undefined || anchor.revisionId !== preview.preview.value?.revisionId) return null;
  return anchor.startTag[0];
}

/** What the app shows for the workbench follows what the workbench shows. */
function connectDesktop(app: App): (() => void)[] {
  const { preview, places, slot, lit, pick, notes, talk } = app;
  const present = computed(
    () => preview.phase.value === 'shown' && places.place.value === 'page' && places.review.value === null,
  );
  app.desktop?.onPress((m) => pick.press(m.adds));
  return [
    effect(() => {
      const room = slot.room.value ?? { x: 0, y: 0, width: 0, height: 0 };
      const scale = preview.scale.value;
      const { x, y } = preview.origin.value;
      const { width, height } = preview.size.value;
      const scene = {
        present: present.value,
        covered: slot.covered.value,
        page: {
          page: {
            x: Math.round(room.x + x),
            y: Math.round(room.y + y),
            width: Math.round(width * scale),
            height: Math.round(height * scale),
          },
          scale,
        },
      };
      untracked(() => slot.show(scene));
    }),
    effect(() => {
      if (preview.loads.value > 0) untracked(() => lit.forget());
    }),
    // What the layer of a window outlines, and the note whose pin is pointed at, the last thing last.
    effect(() => {
      const id = present.value ? preview.id.value : null;
      const active = places.activeNote.value;
      const note = notes.list.value.find((n) => n.id === active)?.id;
      const sent = talk.sent.value.find((n) => `order:${n.order}` === active)?.annotationId;
      const picked = pick.outlined.value.map(({ pick: p, look }) => ({ pick: p.handle, look }));
      const of = (annotation: string | null | undefined) => (annotation ? [{ annotation }] : []);
      const outlines = [...of(note), ...of(sent), ...picked, ...of(lit.pointed.value)];
      follow(preview.loads);
      const wanted = id === null ? null : { preview: id, outlines };
      untracked(() => lit.show(wanted));
    }),
  ];
}
