const FIELDS = 'input:not([type=checkbox]), textarea, select, [contenteditable=true], [role=menu], [role=dialog]'

/** Whether a key is meant for what has the focus, or for the browser, and not for the page. */
export const isForField = (event: KeyboardEvent) =>
  event.defaultPrevented ||
  event.isComposing ||
  event.metaKey ||
  event.ctrlKey ||
  event.altKey ||
  (event.target as HTMLElement).closest(FIELDS) !== null
