import { useState } from 'preact/hooks';
import { refusalText, t } from '../../i18n';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icons';
import { useApp } from '../context';
import { send } from '../page/actions';

/** What is said, who plans, what it comes to, and what the agent will see: before it is sent. */
export function Composer() {
  const app = useApp();
  const { talk, notes, preferences, actions } = app;
  const [seeing, setSeeing] = useState(false);
  const n = notes.list.value.length;
  const refusal = talk.refusal.value;
  const counted = talk.count.value?.refusal ?? '';
  return (
    <div class="composer">
      {seeing && <Seen />}
      {refusal !== null && (
        <p class="message" role="alert">
          {refusalText(refusal)} {refusal.hint}
        </p>
      )}
      {refusal === null && counted !== '' && counted !== 'no_model' && (
        <p class="message">{refusalText({ code: counted, message: counted })}</p>
      )}
      <textarea
        class="area"
        rows={1}
        aria-label={t('talk.say')}
        placeholder={t('talk.say')}
        value={talk.message.value}
        onInput={(e) => talk.type(e.currentTarget.value)}
      />
      <div class="row">
        <Button
          small
          kind="quiet"
          icon="eye"
          expanded={seeing}
          onClick={() => {
            if (!seeing) talk.recount();
            setSeeing(!seeing);
          }}
        >
          {t('talk.scene')}
        </Button>
        <Meter />
      </div>
      <div class="row">
        <select
          class="select"
          aria-label={t('talk.model')}
          value={preferences.model.value}
          onChange={(e) => preferences.set('model', e.currentTarget.value)}
        >
          <option value="">{t('talk.model.default')}</option>
          {talk.models.value.map((m) => {
            const usable = m.key === 'set' || m.key === 'none';
            return (
              <option key={m.name} value={m.name} disabled={!usable}>
                {usable ? m.name : t('talk.model.nokey', { name: m.name })}
              </option>
            );
          })}
        </select>
        <Button
          kind="primary"
          class="send"
          icon="send"
          keyName={actions.keyName('notes.send')}
          disabled={!talk.canSend.value}
          onClick={() => void send(app)}
        >
          {talk.sending.value ? t('talk.sending') : n > 0 ? t('talk.send.notes', { n }) : t('talk.send')}
        </Button>
      </div>
    </div>
  );
}

/** How much of what fits is used, as a bar and in words. */
function Meter() {
  const { talk } = useApp();
  const count = talk.count.value;
  if (count === null) return null;
  const share = Math.min(1, count.contextBytes / count.maxContextBytes);
  const kb = (bytes: number) => `${(bytes / 1024).toFixed(bytes < 10_240 ? 1 : 0)} kB`;
  const text = t('talk.context', { used: kb(count.contextBytes), max: kb(count.maxContextBytes) });
  return (
    <span class="meter" title={text}>
      <span
        class="track"
        role="meter"
        aria-label={text}
        aria-valuemin={0}
        aria-valuemax={count.maxContextBytes}
        aria-valuenow={count.contextBytes}
      >
        <span class={share > 0.9 ? 'fill full' : 'fill'} style={{ width: `${Math.max(2, share * 100)}%` }} />
      </span>
      <span aria-hidden="true">{kb(count.contextBytes)}</span>
    </span>
  );
}

/** What the agent sees beside the message and the notes, section by section, each with a cross. */
function Seen() {
  const { talk, notes } = useApp();
  const scene = talk.count.value?.scene;
  const out = talk.leaveOut.value;
  const sections = scene?.sections ?? [];
  const list = notes.list.value;
  const targets = list.reduce((sum, n) => sum + n.anchors.length, 0);
  return (
    <div class="seen" role="region" aria-label={t('talk.scene')}>
      <p class="head">{t('talk.scene.notes', { n: list.length, t: targets })}</p>
      {sections.length === 0 && out.size === 0 && <p class="head">{t('talk.scene.empty')}</p>}
      <ul>
        {sections.map((s) => (
          <li key={s.id}>
            <details>
              <summary>
                <Icon name="right" />
                <span class="name">{s.title}</span>
                {s.truncated && <span class="cut">…</span>}
              </summary>
              <pre tabIndex={0} aria-label={s.title}>
                {s.text}
              </pre>
            </details>
            <Button
              small
              icon="close"
              kind="quiet"
              label={t('talk.scene.out', { name: s.title })}
              onClick={() => talk.toggleSection(s.id)}
            />
          </li>
        ))}
        {[...out].map((id) => (
          <li key={id} class="out">
            <span class="name">{id}</span>
            <Button
              small
              icon="plus"
              kind="quiet"
              label={t('talk.scene.in', { name: id })}
              onClick={() => talk.toggleSection(id)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
