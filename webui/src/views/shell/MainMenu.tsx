import { refusalOf } from '../../api/refusal';
import { refusalText, t } from '../../i18n';
import { Menu, type MenuItem } from '../../ui/menu';
import { useApp } from '../context';
import { saveAs } from '../save';
import { session } from '../../state/app';

export function MainMenu() {
  const app = useApp();
  const { preferences, actions, places, documents, features } = app;
  const theme = preferences.theme.value;
  const language = preferences.language.value;
  const doc = documents.current.value;

  const save = async (make: () => Promise<Blob>, name: string) => {
    try {
      if (await saveAs(make, name)) app.status.say(t('saved.as', { name }), 'good');
    } catch (e) {
      app.status.say(refusalText(refusalOf(e)), 'bad');
    }
  };

  const themes = (['system', 'light', 'dark'] as const).map((value, i): MenuItem => ({
    id: `theme-${value}`,
    label: t(`menu.theme.${value}`),
    checked: theme === value,
    ...(i === 0 && { group: t('menu.theme') }),
    run: () => preferences.set('theme', value),
  }));
  const languages: MenuItem[] = [
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
  const general: MenuItem[] = [
    {
      id: 'open',
      label: t('menu.open'),
      run: () => {
        places.opening.value = true;
      },
    },
    {
      id: 'palette',
      label: t('menu.palette'),
      note: actions.keyName('general.palette'),
      run: () => void actions.run('general.palette'),
    },
    {
      id: 'keys',
      label: t('menu.keys'),
      note: actions.keyName('general.keys'),
      run: () => void actions.run('general.keys'),
    },
    {
      id: 'review',
      label: t('menu.review'),
      checked: preferences.review.value,
      rule: true,
      run: () => preferences.set('review', !preferences.review.value),
    },
  ];
  const files: MenuItem[] =
    doc === null
      ? []
      : [
          {
            id: 'download',
            label: t('menu.download'),
            rule: true,
            run: () => void save(async () => new Blob([await app.api.source(doc.id)]), doc.name),
          },
          {
            id: 'export',
            label: t('menu.review.export'),
            run: () =>
              void save(
                () => app.api.exportReview(doc.id, { session, form: 'html' }),
                doc.name.replace(/\.html?$/i, '') + '.review.html',
              ),
          },
          {
            id: 'hints',
            label: t('menu.hints'),
            run: () => preferences.set('firstRun', false),
          },
        ];
  const version = features.health.value?.version;
  const about: MenuItem[] =
    version === undefined
      ? []
      : [{ id: 'about', label: t('menu.about', { version }), rule: true, disabled: true, run: () => undefined }];
  return (
    <Menu
      label={t('bar.menu')}
      align="end"
      button={{ icon: 'more', label: t('bar.menu'), kind: 'quiet' }}
      items={[
        ...general,
        ...files,
        ...themes.map((m, i) => (i === 0 ? { ...m, rule: true } : m)),
        ...languages,
        ...about,
      ]}
    />
  );
}
