// The nouns of the HTTP API as they travel (docs/api.md). Spans are UTF-8 bytes.

/** A half-open range of UTF-8 bytes, [start, end). */
export type Span = readonly [start: number, end: number];

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A refusal as it stands in a body: in an answer, or beside what was done all the same. */
export interface RefusalBody {
  code: string;
  message: string;
  hint?: string;
  detail?: Record<string, unknown>;
}

export type VersionSource = 'import' | 'outside' | 'turn' | 'manual' | 'revert' | 'restore' | 'redo';

export interface Version {
  id: string;
  documentId: string;
  generation: number;
  parentId?: string;
  sha256: string;
  bytes: number;
  source: VersionSource;
  actor: string;
  changeSet?: string;
  at: string;
  name?: string;
}

export interface Doc {
  id: string;
  path: string;
  name: string;
  headId: string;
  generation: number;
  stateRev: number;
  syncedId: string;
  syncedSha: string;
  createdAt: string;
  ahead: boolean;
  head: Version;
}

export interface Opened extends Doc {
  imported: boolean;
  outsideImported: boolean;
}

export interface MergeConflict {
  base: Span;
  head: Span;
  baseText: string;
  headText: string;
  mineText: string;
}

export type SyncState = 'in_step' | 'ahead' | 'imported' | 'merged' | 'kept_ours' | 'took_theirs' | 'conflict';
export type SyncChoice = '' | 'merge' | 'ours' | 'theirs';

export interface Synced {
  state: SyncState;
  document: Doc;
  sha256File: string;
  base: number;
  otherNames?: number;
  merge?: { edits: Edit[]; conflicts: MergeConflict[] | null } | null;
}

export interface Edit {
  note?: number;
  notes?: number[];
  span: Span;
  replacement: string;
}

export type Resolution = 'exact' | 'contextual';

export interface TargetOutcome {
  resolution: Resolution;
  reason?: string;
  name?: string;
  start: Span | null;
  sharedBy?: number;
}

export interface NoteOutcome {
  order: number;
  instruction?: string;
  outcome: 'applied' | 'unchanged' | 'answered' | 'refused';
  reason?: string;
  targets: TargetOutcome[];
}

export interface WidthLook {
  width: number;
  newErrors?: string[];
  layout?: string[];
  pixelsInside: number;
  pixelsOutside: number;
}

export interface Verification {
  candidateSha: string;
  newErrors: string[] | null;
  missingResources: string[] | null;
  treeMatches: boolean;
  pixelsInside: number;
  pixelsOutside: number;
  outOfPicture?: number;
  width: number;
  height: number;
  layout?: string[];
  elementsCompared: number;
  widths?: WidthLook[];
}

export interface PolicyFlag {
  kind: string;
  detail: string;
}

export interface ChangeSet {
  id: string;
  documentId: string;
  turnId?: string;
  baseId: string;
  resultId: string;
  source: VersionSource;
  actor: string;
  sha256Before: string;
  sha256After: string;
  edits: Edit[] | null;
  computed?: boolean;
  notes?: NoteOutcome[];
  verification?: Verification | null;
  flags?: PolicyFlag[];
  reverts?: string;
  revertNote?: number;
  at: string;
}

/** A note of a change as the list tells it: what it did, and whether it still stands. */
export interface NoteFate extends NoteOutcome {
  edits: number;
  removed: number;
  inserted: number;
  takenBackBy?: string;
}

export interface ListedChange extends Omit<ChangeSet, 'notes'> {
  generation: number;
  inForce: boolean;
  takenBackBy?: string;
  notes?: NoteFate[];
}

export interface Diff {
  from: number;
  to: number;
  sha256Before: string;
  sha256After: string;
  edits: Edit[] | null;
  stats: { edits: number; removed: number; inserted: number; unchanged: number };
  recorded: boolean;
  outsideUnchanged: boolean;
  unified: string;
}

/** What taking back, redoing, restoring, direct edits and commits answer. */
export interface Made {
  document: Doc;
  changeSet: ChangeSet;
  written: boolean;
  writeError?: RefusalBody;
  /** Of direct edits, by task. */
  remarks?: string[];
}

export interface Preview {
  id: string;
  documentId: string;
  revisionId: string;
  generation: number;
  sha256: string;
  epoch: number;
  width: number;
  height: number;
  allowedOrigins: string[] | null;
  offline: string[] | null;
  missing: string[] | null;
  expiresMs: number;
  /** Of a preview that stands in the window: what its frame shows before the page is loaded. */
  frameUrl?: string;
}

export interface Pick {
  /** Empty for what is hovered only. */
  handle: string;
  epoch: number;
  path: string;
  name: string;
  text: string;
  rect: Rect;
  startTag: Span | null;
  tag?: string;
  sharedBy?: number;
  refusal?: RefusalBody;
  /** Line of the start tag, where the gateway says it. */
  line?: number;
}

/** The nearest element that has a place in the source, in a refusal's detail. */
export interface Nearest {
  path: unknown;
  name: string;
  startTag?: Span;
  start?: Span;
  steps?: number;
}

export type Direction = 'up' | 'down' | 'next' | 'prev';

export interface Under {
  chain: Pick[];
  stack: Pick[];
}

/** What the app outlines in the page: a pick, or all the places of a note. */
export type Outlined = { pick: string; look: OutlineLook } | { annotation: string };
export type OutlineLook = 'selected' | 'cursor' | 'refused';

export interface Place {
  id: string;
  /** Which of a note's targets, from 0. */
  target?: number;
  rect: Rect | null;
  shared: number;
}

export interface PageHealth {
  errors: string[] | null;
  console: string[] | null;
  missing: string[] | null;
  dropped: number;
}

export interface PageCounts {
  errors: number;
  console: number;
  missing: number;
  offline: string[] | null;
}

export type DirectDo =
  | 'text'
  | 'attribute'
  | 'style'
  | 'removeAttribute'
  | 'addClass'
  | 'removeClass'
  | 'remove'
  | 'duplicate'
  | 'up'
  | 'down';

export interface DirectTask {
  do: DirectDo;
  name: string;
  value: string;
  picks: string[];
}

export interface Anchor {
  id: string;
  documentId: string;
  revisionId: string;
  sourceSha: string;
  path: [string, number][];
  ns: string;
  name: string;
  startTag: Span;
  range: Span | null;
  quote: string;
  sharedBy: number;
}

export interface Annotation {
  id: string;
  sessionId: string;
  documentId: string;
  revisionId: string;
  order: number;
  instruction: string;
  anchors: Anchor[];
  state: 'draft' | 'sent' | 'discarded';
  turnId?: string;
  createdAt: string;
  updatedAt: string;
}

export interface SentTarget {
  anchor: Anchor;
  resolution: Resolution;
  reason?: string;
}

export interface SentNote {
  annotationId: string;
  order: number;
  instruction: string;
  targets: SentTarget[] | null;
}

/** A section of what the agent sees beside the notes; leaving one out sends the turn without it. */
export interface SceneSection {
  id: string;
  title: string;
  /** Markdown; empty where there was no room for any of it. */
  text: string;
  truncated: boolean;
}

export interface Scene {
  sections: SceneSection[] | null;
  leftOut?: string[];
  /** Unicode code points, as is max. */
  used: number;
  max: number;
  truncated: boolean;
}

export interface Position {
  line: number;
  column: number;
}

/** What a person has in view, for the model: data, which grants nothing. */
export interface SceneView {
  view: 'Preview' | 'Source' | 'Versions' | 'Changes';
  preview: string;
  editor: {
    text: string;
    firstLine: number;
    base: number;
    dirty: boolean;
    cursor?: Position;
    selection?: { start: Position; end: Position };
  } | null;
  leaveOut: string[];
}

export interface Count {
  generation: number;
  notes: SentNote[] | null;
  contextBytes: number;
  maxNotes: number;
  maxContextBytes: number;
  refusal: string;
  scene?: Scene | null;
}

/** How the file stands to the history, as the watch tells it. */
export interface FileState {
  state: SyncState | '';
  error?: RefusalBody;
}

export interface Usage {
  calls: number;
  promptTokens: number;
  completionTokens: number;
  largestPrompt: number;
  estimated: boolean;
}

export type TurnStatus = 'applied' | 'answered' | 'refused' | 'discarded' | 'conflict' | 'needs_approval';

export interface TurnResult {
  status: TurnStatus;
  text: string;
  generation?: number;
  changeSet?: string;
  notes: NoteOutcome[] | null;
  edits: Edit[] | null;
  verification: Verification | null;
  flags?: PolicyFlag[];
  usage: Usage;
  written: boolean;
  error?: RefusalBody;
  writeError?: RefusalBody;
}

export interface Turn {
  id: string;
  sessionId: string;
  requestId: string;
  fingerprint: string;
  documentId: string;
  revisionId: string;
  message: string;
  notes: SentNote[] | null;
  state: 'accepted' | 'running' | 'applied' | 'answered' | 'discarded' | 'failed';
  model: string;
  at: string;
  running: boolean;
  waits: boolean;
  /** What waited was dropped, for nobody decided in time. */
  expired?: boolean;
  result?: TurnResult;
}

export type TurnEventKind =
  | 'accepted'
  | 'routed'
  | 'advised'
  | 'thinking'
  | 'retrying'
  | 'text_delta'
  | 'said'
  | 'usage'
  | 'tool_called'
  | 'tool_returned'
  | 'candidate_staged'
  | 'verified'
  | 'committed'
  | 'discarded'
  | 'unrecorded'
  | 'ended';

export interface TurnEvent {
  seq?: number;
  kind: TurnEventKind;
  turn: string;
  at?: string;
  model?: string;
  notes?: number;
  route?: { mode?: string; format?: string; operation?: string; floor?: string; tier?: string };
  round?: number;
  proposers?: number;
  answered?: number;
  attempt?: number;
  waitNs?: number;
  text?: string;
  promptTokens?: number;
  completionTokens?: number;
  estimated?: boolean;
  tool?: string;
  ok?: boolean;
  tookNs?: number;
  sha256?: string;
  edits?: number;
  flags?: number;
  faults?: number;
  matches?: boolean;
  generation?: number;
  changeSet?: string;
  status?: TurnStatus;
  code?: string;
}

export interface Proposal {
  sha256: string;
  edits: Edit[] | null;
  flags: PolicyFlag[] | null;
  verification: Verification | null;
  summary: string;
  unified: string;
  /** When it is dropped where nobody reads or decides. */
  expiresMs?: number;
}

export interface EditSession {
  id: string;
  documentId: string;
  baselineId: string;
  state: 'open' | 'closed' | 'expired';
  unsaved: boolean;
  updatedAt: string;
  expiresAt: string;
  text?: string;
}

export interface Model {
  name: string;
  mode: 'direct' | 'router' | 'ensemble';
  provider?: string;
  model?: string;
  host?: string;
  vision: boolean;
  key: 'set' | 'missing' | 'none' | 'unusable' | 'unavailable';
  members?: string[];
}

export interface FeatureState {
  feature: string;
  on: boolean;
  by: 'config' | 'environment' | 'kill' | 'needs' | 'host' | 'default';
  needs?: string;
  reason?: string;
  since?: string;
}

export interface Health {
  version: string;
  launch: string;
  uptimeMs: number;
  features: FeatureState[];
  readOnly?: RefusalBody;
}

/** The workbench's own preferences, one object the gateway keeps. */
export interface Preferences {
  theme?: 'system' | 'light' | 'dark';
  language?: 'system' | 'en' | 'zh';
  /** Hold every commit until a person decides. */
  review?: boolean;
  /** Action to its keys, for those that are rebound; an empty list unbinds. */
  keys?: Record<string, string[]>;
  /** Width of the right panel, CSS pixels. */
  panel?: number;
  panelOpen?: boolean;
  /** True: the first-minute hints are gone for ever. */
  firstRun?: boolean;
  model?: string;
  write?: boolean;
  /** Origins a person allowed, by document. */
  origins?: Record<string, string[]>;
}

export const featureWorkbench = 'documentWorkbenchResources';
export const featureAnnotations = 'artifactPromptAnnotations';
