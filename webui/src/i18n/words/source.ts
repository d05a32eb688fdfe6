export const source = {} as const;
