export function PageTools() {
  return null;
}
