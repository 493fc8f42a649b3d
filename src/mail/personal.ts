import type { PreparedContent } from './broadcast.ts'
import { escapeHtml } from './html.ts'
import { MAX_SUBJECT_LENGTH } from './limits.ts'
import { fillTemplate } from './templates.ts'

/** What goes in for a name, as the contact has it. */
export type Variables = Readonly<Record<string, string>>

export const UNSUBSCRIBE_NAMES = ['RESEND_UNSUBSCRIBE_URL', 'UNSUBSCRIBE_URL']

/** Somebody whom a broadcast goes to. */
export interface Addressee {
  readonly email: string
  readonly first_name: string | null
  readonly last_name: string | null
}

const FIELDS: Readonly<Record<string, keyof Addressee>> = {
  FIRST_NAME: 'first_name',
  LAST_NAME: 'last_name',
  EMAIL: 'email',
  'contact.first_name': 'first_name',
  'contact.last_name': 'last_name',
  'contact.email': 'email',
}

/** The property of contacts that a name stands for, if it is one. `plan` and `contact.plan` are the same. */
export const propertyNamed = (name: string) => (Object.hasOwn(FIELDS, name) ? null : name.replace(/^contact\./, ''))

/** What a contact has for each name. What it has not is left to the fallback in the text; an empty name is none. */
export function variablesOf(
  contact: Addressee,
  names: readonly string[],
  propertyValue: (property: string) => string | number | null | undefined,
): Variables {
  const values = names.map((name) => {
    const property = propertyNamed(name)
    return [name, property === null ? contact[FIELDS[name]!] : propertyValue(property)] as const
  })
  return Object.fromEntries(
    values.flatMap(([name, value]) =>
      value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  )
}

/**
 * One copy. In one pass, so that nothing that a contact brings is ever taken for a placeholder; in html what they bring is text,
 * and what the author wrote as a fallback is html.
 */
export function personalise(content: PreparedContent, variables: Variables, unsubscribeUrl: string): PreparedContent {
  const filling = fillings(variables, unsubscribeUrl)
  return {
    html: content.html === null ? null : fillTemplate(content.html, filling.html).text,
    text: content.text === null ? null : fillTemplate(content.text, filling.text).text,
  }
}

/** What goes in for a name, in html and in text. */
export function fillings(variables: Variables, unsubscribeUrl: string) {
  const text = (name: string) => (UNSUBSCRIBE_NAMES.includes(name) ? unsubscribeUrl : valueIn(variables, name))
  const html = (name: string) => {
    const value = text(name)
    return value === undefined ? undefined : escapeHtml(value)
  }
  return { html, text }
}

/** A line break or another control character in somebody's name must not become one in a header. */
export function personaliseSubject(subject: string, variables: Variables): string {
  const onOneLine = (name: string) => {
    const value = valueIn(variables, name)
    return value && beginningOf(value).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  }
  return beginningOf(fillTemplate(beginningOf(subject), onOneLine).text)
}

/** As much as a subject may have. Names multiply: of one that is used again and again, the end is cut off. */
const beginningOf = (text: string) => text.slice(0, MAX_SUBJECT_LENGTH).replace(/[\ud800-\udbff]$/, '')

const valueIn = (variables: Variables, name: string) => (Object.hasOwn(variables, name) ? variables[name] : undefined)
