import { t } from '../../i18n';
import { Menu, type MenuItem } from '../../ui/menu';
import { useApp } from '../context';
import { fileItems, languageItems, reviewItem, themeItems } from './commands';

export function MainMenu() {
  const app = useApp();
  const { actions, places, features } = app;
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
    reviewItem(app),
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
        ...fileItems(app),
        ...themeItems(app).map((m, i) => (i === 0 ? { ...m, rule: true } : m)),
        ...languageItems(app),
        ...about,
      ]}
    />
  );
}
