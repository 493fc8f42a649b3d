import type { VariableType } from '../../../../src/features/templates/schema.ts'
import type { Input, Reply } from '../../api.ts'
import { listOfText, textOfList } from '../../ui/list-text.ts'

export type FullTemplate = Reply<'templates.get'>

export interface VariableDraft {
  readonly key: string
  readonly type: VariableType
  /** As it is typed: text, or JSON. */
  readonly fallback: string
}

/** What the gaps are tried with in the preview, by name. */
export type Samples = Readonly<Record<string, string>>

/** As its fields are shown: what is missing is an empty field. The content is the editor's. */
export const fieldsOf = (template: FullTemplate) => ({
  name: template.name,
  alias: template.alias ?? '',
  from: template.from ?? '',
  reply_to: textOfList(template.reply_to),
  subject: template.subject ?? '',
  variables: template.variables.map(
    ({ key, type, fallback_value }): VariableDraft => ({ key, type, fallback: textOf(fallback_value) }),
  ) as readonly VariableDraft[],
})

export type Draft = ReturnType<typeof fieldsOf>

/** What is sent of the fields that were changed. */
export const changesOf = ({ name, alias, from, reply_to, subject, variables }: Partial<Draft>) => ({
  ...(name !== undefined && { name }),
  ...(alias !== undefined && { alias: alias || null }),
  ...(from !== undefined && { from: from || null }),
  ...(reply_to !== undefined && { reply_to: listOfText(reply_to) }),
  ...(subject !== undefined && { subject: subject || null }),
  ...(variables !== undefined && { variables: variables.map(asVariable) }),
})

const textOf = (value: unknown) =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

function asVariable({ key, type, fallback }: VariableDraft) {
  if (fallback === '') return { key, type }
  return { key, type, fallback_value: type === 'string' ? fallback : safeParse(fallback) }
}

type Variable = NonNullable<Input<'templates.update'>['body']['variables']>[number]
type Fallback = Exclude<Variable['fallback_value'], undefined>

/** What is no JSON is sent as it is, and the server says what it should be. */
function safeParse(text: string): Fallback {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
