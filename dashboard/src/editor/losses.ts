import { texts } from './texts.ts'

/** What of an email's html is not in the html of its blocks, as somebody reads it. Nothing: blocks can stand for it. */
export function lossesOf(original: string, converted: string): string[] {
  const [before, after] = [parse(original), parse(converted)]
  return [
    ...(wordsOf(before) === wordsOf(after) ? [] : [texts.convertDialog.losses.text]),
    ...missing(before, after, 'a[href]', 'href', texts.convertDialog.losses.links),
    ...missing(before, after, 'img[src]', 'src', texts.convertDialog.losses.images),
    ...lostDeclarations(before, after),
    ...missing(before, after, '[class]', 'class', texts.convertDialog.losses.classes),
    ...missing(before, after, '[id]', 'id', texts.convertDialog.losses.ids),
    ...(stylesOf(before).every((rule) => stylesOf(after).includes(rule))
      ? []
      : [texts.convertDialog.losses.styleSheet]),
    ...lostElements(before, after),
  ]
}

const parse = (html: string) => new DOMParser().parseFromString(html, 'text/html')

/** Line ends and the gaps that keep a preview text alone are no words. */
const wordsOf = ({ body }: Document) => {
  const copy = body.cloneNode(true) as HTMLElement
  for (const element of copy.querySelectorAll('style, script, title')) element.remove()
  return (copy.textContent ?? '').replace(/(?:\s|[\u200b-\u200f\ufeff\u00ad]|\u034f)+/g, '')
}

const stylesOf = (page: Document) =>
  [...page.querySelectorAll('style')]
    .map(({ textContent }) => textContent!.replace(/\s+/g, ''))
    .filter((css) => css !== '')

function missing(
  before: Document,
  after: Document,
  selector: string,
  attribute: string,
  say: (count: number) => string,
): string[] {
  const valuesOf = (page: Document) =>
    [...page.querySelectorAll(selector)].map((element) =>
      element.getAttribute(attribute)!.replace(/\s+/g, '').replace(/;$/, ''),
    )
  const kept = new Set(valuesOf(after))
  const lost = valuesOf(before).filter((value) => value !== '' && !kept.has(value)).length
  return lost === 0 ? [] : [say(lost)]
}

/** Inline styles, one by one: those of a theme stand beside what somebody wrote. */
function lostDeclarations(before: Document, after: Document): string[] {
  const declarationsOf = (page: Document) =>
    [...page.querySelectorAll('[style]')].flatMap((element) =>
      element
        .getAttribute('style')!
        .split(';')
        .map((one) => one.replace(/\s+/g, '').toLowerCase())
        .filter((one) => one !== ''),
    )
  const kept = new Set(declarationsOf(after))
  const lost = declarationsOf(before).filter((one) => !kept.has(one)).length
  return lost === 0 ? [] : [texts.convertDialog.losses.styles(lost)]
}

/** Elements that mean nothing by themselves: what is in them counts. */
const TRANSPARENT = new Set([
  'HTML',
  'HEAD',
  'BODY',
  'META',
  'TITLE',
  'STYLE',
  'DIV',
  'SPAN',
  'CENTER',
  'TBODY',
  'FONT',
  'LINK',
])
/** What is written in one of these ways comes out in the other. */
const SAME: Readonly<Record<string, string>> = { B: 'STRONG', I: 'EM', S: 'STRIKE', DEL: 'STRIKE', THEAD: 'TABLE' }

function lostElements(before: Document, after: Document): string[] {
  const namesOf = (page: Document) =>
    new Set([...page.querySelectorAll('*')].map(({ tagName }) => SAME[tagName] ?? tagName))
  const kept = namesOf(after)
  return [...namesOf(before)]
    .filter((name) => !TRANSPARENT.has(name) && !kept.has(name))
    .map((name) => `<${name.toLowerCase()}>`)
}
