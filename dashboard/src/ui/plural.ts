import { formatNumber } from './locale.ts'

/** English has two forms; a language with more names them as `Intl.PluralRules` does. */
type Forms = Readonly<{ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>>

// The rules of the language that the texts are in, not of the reader's: French has one form for 0 and 1.
const RULES = new Intl.PluralRules('en')

/** `plural({ one: '# email', other: '# emails' })(2)` is “2 emails”, the number as the reader writes it. */
export const plural = (forms: Forms) => (count: number) =>
  (forms[RULES.select(count)] ?? forms.other).replace('#', formatNumber(count))
