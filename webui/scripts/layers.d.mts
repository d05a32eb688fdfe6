export const mayImport: Record<string, string[]>;
export function layerOf(path: string): string;
export function resolveFrom(file: string, specifier: string): string;
export function allowed(from: string, to: string): boolean;
