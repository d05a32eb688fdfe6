export function fault(from: string, specifier: string): string | null;
