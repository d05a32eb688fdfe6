/** All channels there are. One that is not here does not exist. */
export const channels = {
  // the workbench asks
  hello: 'workbench:hello',
  token: 'workbench:token',
  still: 'workbench:still',
  save: 'workbench:save',
  // the workbench says
  place: 'workbench:place',
  card: 'workbench:card',
  openDialog: 'workbench:open-dialog',
  dropped: 'workbench:dropped',
  state: 'workbench:state',
  left: 'workbench:left',
  // the workbench is told
  said: 'workbench:said',
  command: 'workbench:command',
  open: 'workbench:open',
  press: 'workbench:press',
  leave: 'workbench:leave',
  // the overlay says
  draft: 'overlay:draft',
  submit: 'overlay:submit',
  cancel: 'overlay:cancel',
  // the overlay is told
  show: 'overlay:show',
} as const;
