/** Characters of markup that are shown; pictures inside of it do not count. A long newsletter has a tenth of it. */
const MAX_CHARACTERS = 500_000

/** Chromium's tree is never deeper, but its parser looks through all that is open at each tag: 30,000 open ones took seconds. */
const MAX_OPEN = 512

/** Each attribute of a tag is compared with those before it. */
const MAX_TAG_CHARACTERS = 16_000

const TAG = /<(\/?)([a-z][^\s/>]*)[^>]*>?/gi

/** Elements that are never open for long: they have no end, or the next one ends them. */
const NEVER_OPEN = new Set(
  (
    'area base br col embed hr img input link meta source track wbr ' +
    'li dt dd p option colgroup thead tbody tfoot tr td th'
  ).split(' '),
)

/**
 * As much of untrusted html as a browser takes in within a moment, whatever it is made of. What follows is cut off; the parser
 * closes what is open. One pass that looks at each character once.
 */
export function beginningOf(html: string): string {
  const open = new Map<string, number>()
  let depth = 0
  for (const { 0: tag, 1: slash, 2: name, index } of html.matchAll(TAG)) {
    if (index + tag.length > MAX_CHARACTERS || tag.length > MAX_TAG_CHARACTERS) return html.slice(0, index)
    const key = name!.toLowerCase()
    const count = open.get(key) ?? 0
    if (NEVER_OPEN.has(key) || (slash && count === 0)) continue
    const step = slash ? -1 : 1
    open.set(key, count + step)
    depth += step
    if (depth > MAX_OPEN) return html.slice(0, index)
  }
  return html.slice(0, MAX_CHARACTERS)
}

/** A picture of a few kilobytes or more. */
const LONG_PICTURE = /data:image\/[\w.+-]{1,40};base64,[\w+/=]{2000,}/g

/** The html with a `cid:` address in the place of each large picture, so that nobody has to look through megabytes of base64. */
export function withoutPictures(html: string): { html: string; pictures: ReadonlyMap<string, string> } {
  const pictures = new Map<string, string>()
  const short = html.replace(LONG_PICTURE, (picture) => {
    const id = `picture-${pictures.size}@preview`
    pictures.set(id, picture)
    return `cid:${id}`
  })
  return { html: short, pictures }
}
