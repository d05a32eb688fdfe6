import { refusalOf } from '../../api/refusal';
import { refusalText, t } from '../../i18n';
import { type App, session } from '../../state/app';
import type { MenuItem } from '../../ui/menu';
import { saveAs } from '../save';

/** What the menu offers beside its keys; the palette finds it, too. */
export function commands(app: App): MenuItem[] {
  return [reviewItem(app), ...fileItems(app), ...themeItems(app), ...languageItems(app)];
}

export function reviewItem({ preferences }: App): MenuItem {
  return {
    id: 'review',
    label: t('menu.review'),
    checked: preferences.review.value,
    rule: true,
    run: () => preferences.set('review', !preferences.review.value),
  };
}

export function fileItems(app: App): MenuItem[] {
  const { documents, preferences } = app;
  const doc = documents.current.value;
  const reach = app.preview.reach.value;
  return doc === null
    ? []
    : [
        {
          id: 'download',
          label: t('menu.download'),
          rule: true,
          run: () => void save(app, async () => new Blob([await app.api.source(doc.id)]), doc.name),
        },
        {
          id: 'export',
          label: t('menu.review.export'),
          run: () =>
            void save(
              app,
              () => app.api.exportReview(doc.id, { session, form: 'html' }),
              doc.name.replace(/\.html?$/i, '') + '.review.html',
            ),
        },
        ...(reach.length === 0
          ? []
          : [{ id: 'offline', label: t('menu.offline', { n: reach.length }), run: () => void app.preview.disallow() }]),
        {
          id: 'hints',
          label: t('menu.hints'),
          run: () => preferences.set('firstRun', false),
        },
      ];
}

export function themeItems({ preferences }: App): MenuItem[] {
  const theme = preferences.theme.value;
  return (['system', 'light', 'dark'] as const).map((value, i): MenuItem => ({
    id: `theme-${value}`,
    label: t(`menu.theme.${value}`),
    checked: theme === value,
    ...(i === 0 && { group: t('menu.theme') }),
    run: () => preferences.set('theme', value),
  }));
}

export function languageItems({ preferences }: App): MenuItem[] {
  const language = preferences.language.value;
  return [
    {
      id: 'language-system',
      label: t('menu.language.system'),
      checked: language === 'system',
      group: t('menu.language'),
      run: () => preferences.set('language', 'system'),
    },
    { id: 'language-en', label: 'English', checked: language === 'en', run: () => preferences.set('language', 'en') },
    { id: 'language-zh', label: '简体中文', checked: language === 'zh', run: () => preferences.set('language', 'zh') },
  ];
}

async function save(app: App, make: () => Promise<Blob>, name: string): Promise<void> {
  try {
    if (await saveAs(make, name, app.desktop)) app.status.say(t('saved.as', { name }), 'good');
  } catch (e) {
    app.status.say(refusalText(refusalOf(e)), 'bad');
  }
}
