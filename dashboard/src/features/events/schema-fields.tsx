import { FIELD_TYPES } from '../../../../src/features/events/schema.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import './schema-fields.css'
import { texts } from './texts.ts'

type FieldType = (typeof FIELD_TYPES)[number]
type Schema = Readonly<Record<string, FieldType>>

export interface FieldDraft {
  readonly name: string
  readonly type: FieldType
}

export const fieldsOf = (schema: Schema | null): readonly FieldDraft[] =>
  Object.entries(schema ?? {}).map(([name, type]) => ({ name, type }))

/** Null without fields: any payload is accepted. */
export const schemaOf = (fields: readonly FieldDraft[]): Record<string, FieldType> | null => {
  const named = fields.filter(({ name }) => name !== '')
  return named.length > 0 ? Object.fromEntries(named.map(({ name, type }) => [name, type])) : null
}

interface SchemaFieldsProps {
  readonly fields: readonly FieldDraft[]
  readonly onChange: (fields: readonly FieldDraft[]) => void
}

/** The fields of a payload and what they are. */
export const SchemaFields = ({ fields, onChange }: SchemaFieldsProps) => (
  <fieldset className="schema-fields">
    <legend>{texts.schema.legend}</legend>
    {fields.map(({ name, type }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a name is being typed
      <div key={index}>
        <input
          aria-label={texts.schema.nameOfField(index + 1)}
          value={name}
          placeholder={texts.schema.namePlaceholder}
          onChange={(event) => onChange(fields.with(index, { name: event.currentTarget.value, type }))}
        />
        <select
          aria-label={texts.schema.typeOfField(index + 1)}
          value={type}
          onChange={(event) => onChange(fields.with(index, { name, type: event.currentTarget.value as FieldType }))}
        >
          {FIELD_TYPES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <IconButton
          icon="close"
          label={texts.schema.remove(index + 1)}
          onClick={() => onChange(fields.toSpliced(index, 1))}
        />
      </div>
    ))}
    <div className="actions">
      <Button icon="plus" onClick={() => onChange([...fields, { name: '', type: 'string' }])}>
        {texts.schema.add}
      </Button>
      {fields.length === 0 && <small className="muted">{texts.schema.empty}</small>}
    </div>
  </fieldset>
)
