import { Problem } from '../../kernel/http/problem.ts'
import { escapeHtml } from '../../mail/html.ts'
import { LONGEST_SUBJECT, LONGEST_TEXT } from '../../mail/limits.ts'
import type { Variables } from '../../mail/personal.ts'
import { fillTemplate, namesIn, TooLong } from '../../mail/templates.ts'
import type { PublishedTemplate } from './queries.ts'
import { RESERVED_KEYS } from './schema.ts'
import { isOfType } from './variables.ts'

export interface RenderedTemplate {
  readonly id: string
  readonly from: string | null
  readonly subject: string | null
  readonly reply_to: readonly string[] | null
  readonly html: string
  readonly text: string | null
}

/**
 * The template with values in subject, html and text. What counts for a name is the value that is given, then the fallback of
 * the variable, then the fallback in the placeholder. A variable without any of them is needed, used or not. `about` is what is known
 * of the recipient under names that nobody declares: what people brought themselves is text, in html as well.
 */
export function fill(
  template: PublishedTemplate,
  given: Readonly<Record<string, unknown>>,
  about: Variables = {},
): RenderedTemplate {
  const { id, from, reply_to, subject, html, text } = template
  const values = valuesOf(template, given)
  const missing = new Set(neededButAbsent(template, values))
  const put = <Text extends string | null>(field: string, content: Text, longest: number): Text => {
    if (content === null) return content
    const own = field === 'html' ? escapeHtml : (value: string) => value
    const valueFor = (name: string) => values.get(name) ?? (Object.hasOwn(about, name) ? own(about[name]!) : undefined)
    const filled = refuseTooLong(field, () => fillTemplate(content, valueFor, longest))
    for (const name of filled.missing) missing.add(name)
    return filled.text as Text
  }
  const rendered = {
    id,
    from,
    reply_to,
    subject: put('subject', subject, LONGEST_SUBJECT),
    html: put('html', html, LONGEST_TEXT),
    text: put('text', text, LONGEST_TEXT),
  }
  for (const name of missing) throw missingVariable(name)
  return rendered
}

function refuseTooLong<Filled>(field: string, fillIn: () => Filled): Filled {
  try {
    return fillIn()
  } catch (error) {
    if (!(error instanceof TooLong)) throw error
    throw new Problem(
      'validation_error',
      `The \`${field}\` of the template is too long with these values. ${error.message}`,
    )
  }
}

/** What goes in for each name, as text. */
function valuesOf({ variables }: PublishedTemplate, given: Readonly<Record<string, unknown>>): Map<string, string> {
  const declared = new Map(variables.map((variable) => [variable.key, variable]))
  const values = new Map<string, string>()
  for (const { key, fallback_value } of variables) if (fallback_value !== null) values.set(key, toText(fallback_value))
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    const type = declared.get(key)?.type
    if (type && !isOfType(type, value)) throw new Problem('validation_error', `Variable "${key}" must be a \`${type}\``)
    values.set(key, toText(value))
  }
  return values
}

/** Declared variables that have no value and that no placeholder brings a fallback for, because none names them. */
function neededButAbsent({ variables, subject, html, text }: PublishedTemplate, values: ReadonlyMap<string, string>) {
  const absent = variables.map(({ key }) => key).filter((key) => !values.has(key))
  if (absent.length === 0) return []
  const used = new Set(namesIn([subject, html, text].join('\n')))
  return absent.filter((key) => !used.has(key))
}

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

const missingVariable = (name: string) =>
  new Problem(
    'validation_error',
    RESERVED_KEYS.includes(name.split('.', 1)[0]!)
      ? `The template uses \`${name}\`, which only broadcasts and automations know. Give it a fallback: \`{{{${name}|…}}}\`.`
      : `Missing \`template.variables.${name}\` field. The template has no fallback for it.`,
  )
