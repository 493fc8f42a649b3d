import { FEATURES } from './support.ts'

// Which names of HTML and CSS belong to which feature of the data. Most follow from its titles; a test says when an update brings one
// that does not.

export type NameKind =
  | 'element'
  | 'attribute'
  | 'input'
  | 'button'
  | 'property'
  | 'unit'
  | 'function'
  | 'rule'
  | 'pseudo'
  | 'image'

type Names = readonly (readonly [NameKind, string])[]

const all = (kind: NameKind, names: string): Names => names.split(' ').map((name) => [kind, name])
const sides = (...properties: string[]) =>
  all('property', properties.flatMap((one) => [`${one}-start`, `${one}-end`]).join(' '))

/** Those whose title does not say it, or says it in words. */
const SPECIAL: Readonly<Record<string, Names>> = {
  'html-address': all('element', 'address'),
  'html-base': all('element', 'base'),
  'html-h1-h6': all('element', 'h1 h2 h3 h4 h5 h6'),
  'html-lists': all('element', 'ul ol dl'),
  'html-semantics': all(
    'element',
    'article aside details figcaption figure footer header main mark nav section summary time',
  ),
  'html-image-maps': all('element', 'map'),
  'html-svg': all('element', 'svg'),
  'html-srcset': all('attribute', 'srcset sizes'),
  'css-inert-attribute': all('attribute', 'inert'),
  'css-unit-calc': all('function', 'calc'),
  'css-unit-percent': all('unit', '%'),
  'css-linear-gradient': all('function', 'linear-gradient repeating-linear-gradient'),
  'css-radial-gradient': all('function', 'radial-gradient repeating-radial-gradient'),
  'css-conic-gradient': all('function', 'conic-gradient repeating-conic-gradient'),
  'css-modern-color': all('function', 'lch oklch lab oklab'),
  'css-variables': all('function', 'var'),
  'css-rgb': all('function', 'rgb'),
  'css-rgba': all('function', 'rgba'),
  'css-block-inline-size': all('property', 'block-size inline-size'),
  'css-border-inline-block': all('property', 'border-inline border-block'),
  'css-border-inline-block-individual': sides('border-inline', 'border-block'),
  'css-border-inline-block-longhand': all(
    'property',
    'border-inline-width border-inline-style border-inline-color border-block-width border-block-style border-block-color',
  ),
  'css-border-radius-logical': all(
    'property',
    'border-start-start-radius border-start-end-radius border-end-start-radius border-end-end-radius',
  ),
  'css-color-scheme': all('property', 'color-scheme'),
  'css-column-layout-properties': all(
    'property',
    'columns column-width column-span column-fill column-rule column-rule-color column-rule-style column-rule-width',
  ),
  'css-gap': all('property', 'gap column-gap row-gap grid-gap'),
  'css-grid-template': all('property', 'grid-template grid-template-columns grid-template-rows grid-template-areas'),
  'css-left-right-top-bottom': all('property', 'left right top bottom'),
  'css-margin-block-start-end': sides('margin-block'),
  'css-margin-inline-start-end': sides('margin-inline'),
  'css-margin-inline-block': all('property', 'margin-inline margin-block'),
  'css-padding-block-start-end': sides('padding-block'),
  'css-padding-inline-start-end': sides('padding-inline'),
  'css-padding-inline-block': all('property', 'padding-inline padding-block'),
  'css-scroll-snap': all('property', 'scroll-snap-type scroll-snap-align scroll-snap-stop'),
  'image-apng': all('image', 'apng'),
  'image-heif': all('image', 'heif heic'),
  'image-jpg': all('image', 'jpg jpeg'),
  'image-tiff': all('image', 'tiff tif'),
  'image-mp4': all('image', 'mp4'),
}

/** Found by more than a name: `features.ts` and `selectors.ts` know how. */
export const BY_LOOKING: ReadonlySet<string> = new Set([
  ...['html-anchor-links', 'html-mailto-links', 'html-meta-color-scheme', 'html-doctype', 'html-comments', 'amp'],
  ...[
    'image-base64',
    'css-display-flex',
    'css-display-grid',
    'css-display-none',
    'css-flex-direction',
    'css-flex-wrap',
  ],
  ...['css-important', 'css-comments', 'css-nesting', 'css-intrinsic-size', 'css-sytem-ui', 'css-unit-initial'],
  ...['adjacent-sibling', 'attribute', 'chaining', 'child', 'class', 'descendant', 'general-sibling', 'grouping', 'id']
    .concat(['type', 'universal'])
    .map((name) => `css-selector-${name}`),
  ...['device-pixel-ratio', 'hover', 'orientation', 'prefers-color-scheme', 'prefers-reduced-motion'].map(
    (name) => `css-at-media-${name}`,
  ),
])

/** Nothing in a mail says that it has them. */
export const UNSEEN: ReadonlySet<string> = new Set(['bimi', 'image-hdr'])

/** What the name and the title of a feature say. */
export function namesOf(slug: string, title: string): Names {
  const special = SPECIAL[slug]
  if (special) return special
  if (BY_LOOKING.has(slug) || UNSEEN.has(slug)) return []
  const [, tag, type] = /^<(\w+)(?: type="(\w+)")?> element$/.exec(title) ?? []
  if (tag) return type ? [[tag as 'input' | 'button', type]] : [['element', tag]]
  const [, attribute] = /^([\w-]+) attribute$/.exec(title) ?? []
  if (attribute) return [['attribute', attribute]]
  const [, pseudo] = /^css-pseudo-(?:class|element)-(.+)$/.exec(slug) ?? []
  if (pseudo) return [['pseudo', pseudo]]
  const [, kind, name] = /^css-(unit|function|at)-([\w-]+)$/.exec(slug) ?? []
  if (kind) return [[kind === 'at' ? 'rule' : (kind as 'unit' | 'function'), name!]]
  const [, image] = /^image-(\w+)$/.exec(slug) ?? []
  if (image) return [['image', image]]
  const [, property] = /^([a-z-]+)(?: property| shorthand)?$/.exec(title) ?? []
  return slug.startsWith('css-') && property ? [['property', property]] : []
}

const index = new Map<string, string[]>()
for (const [slug, title] of FEATURES)
  for (const [kind, name] of namesOf(slug, title)) {
    const key = `${kind} ${name}`
    index.set(key, [...(index.get(key) ?? []), slug])
  }

/** The features that have something of this kind by this name. */
export const featuresNamed = (kind: NameKind, name: string): readonly string[] => index.get(`${kind} ${name}`) ?? []

/** Of a property also by what it is a part of: `border-top` is a border. */
export function featuresOfProperty(property: string): readonly string[] {
  const exact = featuresNamed('property', property)
  if (exact.length > 0) return exact
  const [, shorthand] =
    /^(border|margin|padding|animation|transition|outline|overflow|text-emphasis)-/.exec(property) ?? []
  return shorthand ? featuresNamed('property', shorthand) : []
}
