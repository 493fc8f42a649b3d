/**
 * Features whose absence harms nobody: the mail is as readable and as usable without them, only plainer. Corners are square, fonts are
 * those of the system, nothing moves, and who has a small screen sees what a large one shows. What changes the layout, hides content or
 * loses colors is not here.
 */
const GRACEFUL = new Set([
  ...[
    'css-border-radius',
    'css-border-radius-logical',
    'css-box-shadow',
    'css-text-shadow',
    'css-opacity',
    'css-filter',
  ],
  ...['css-backdrop-filter', 'css-mix-blend-mode', 'css-background-blend-mode', 'css-transform', 'css-transition'],
  ...['css-animation', 'css-at-keyframes', 'css-at-font-face', 'css-at-import', 'css-at-supports', 'css-sytem-ui'],
  ...['css-linear-gradient', 'css-radial-gradient', 'css-conic-gradient', 'css-border-image', 'css-outline'],
  ...['css-outline-offset', 'css-cursor', 'css-user-select', 'css-resize', 'css-accent-color', 'css-caption-side'],
  ...['css-letter-spacing', 'css-word-spacing', 'css-word-break', 'css-word-wrap', 'css-overflow-wrap', 'css-hyphens'],
  ...['css-hyphenate-character', 'css-hyphenate-limit-chars', 'css-text-transform', 'css-text-indent', 'css-text-wrap'],
  ...['css-text-align-last', 'css-text-justify', 'css-text-overflow', 'css-tab-size', 'css-white-space-collapse'],
  ...['css-font-kerning', 'css-font-stretch', 'css-font-size-adjust', 'css-orphans', 'css-widows', 'css-scroll-snap'],
  ...['css-list-style', 'css-list-style-image', 'css-list-style-position', 'css-list-style-type', 'css-empty-cells'],
  ...['css-box-sizing', 'css-table-layout', 'css-border-spacing', 'css-border-collapse', 'css-object-fit'],
  ...['css-object-position', 'css-aspect-ratio', 'css-clip-path', 'css-mask-image', 'css-shape-outside'],
  ...['css-color-scheme', 'css-function-light-dark', 'css-important', 'css-comments', 'css-vertical-align'],
  // What only Outlook for Windows reads otherwise, and mail is given widths by attributes for.
  ...['css-max-width', 'css-min-width', 'css-min-height', 'css-max-height', 'css-height', 'css-overflow'],
  // Of elements and attributes: a div takes the place of the body, and what is not known is not announced.
  ...['html-body', 'html-doctype', 'html-comments', 'html-role', 'html-lang', 'html-dir', 'html-target', 'html-link'],
  ...['html-aria-describedby', 'html-aria-hidden', 'html-aria-label', 'html-aria-labelledby', 'html-aria-live'],
  ...['html-loading-attribute', 'html-srcset', 'html-meta-color-scheme', 'html-semantics', 'html-abbr', 'html-small'],
  ...['html-acronym', 'html-address', 'html-dfn', 'html-wbr', 'html-bdi', 'html-mailto-links', 'html-width'],
])

/** Rules for some readers, for which those of everybody else are the fallback; and selectors, which are lost with the whole sheet. */
const GRACEFUL_KINDS = /^css-(?:at-media|pseudo-|selector-|text-(?:decoration|underline|emphasis))/

export const isGraceful = (slug: string) => GRACEFUL.has(slug) || GRACEFUL_KINDS.test(slug)
