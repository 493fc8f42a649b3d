import { type FormEvent, type InputHTMLAttributes, type ReactNode, useState } from 'react'
import type { Static, TObject } from 'typebox'
import type { EndpointId } from '../api.ts'
import { fieldOf, showHere } from '../problems.ts'
import { Editable } from './allowed.tsx'
import { Button } from './button.tsx'
import { sessionDrafts } from './draft-storage.ts'
import { Field, Offers } from './field.tsx'
import { asValue, constraintsOf, rulesOf } from './schema-field.ts'
import { inSentenceCase } from './sentence-case.ts'
import { texts } from './texts.ts'
import { readMoment, WhenEcho } from './when.tsx'

export interface FormField<Name extends string = string> {
  readonly name: Name
  readonly label: string
  readonly hint?: string
  readonly isLong?: boolean
  /** A time in words: shown as the moment that it is, and sent as one. */
  readonly isMoment?: boolean
  /** Instead of what the schema allows: names of things that exist. */
  readonly options?: readonly { readonly value: string; readonly label: string }[]
  readonly placeholder?: string
  /** Texts to take; any other can be written. */
  readonly offers?: readonly string[]
}

/** Fields of a schema's own, and what is filled in for them: as the schema says. */
export interface FormOf<Shape extends TObject, Name extends FieldName<Shape>> {
  readonly shape: Shape
  readonly fields: readonly FormField<Name>[]
}

export type FieldName<Shape extends TObject> = keyof Shape['properties'] & string
export type ValuesOf<Shape extends TObject, Name extends FieldName<Shape>> = NoInfer<
  Pick<Static<Shape>, Name & keyof Static<Shape>>
>

interface SchemaFormProps<Shape extends TObject, Name extends FieldName<Shape>> extends FormOf<Shape, Name> {
  readonly initial?: Readonly<Record<string, unknown>>
  readonly act: string
  /** What it calls, where everybody sees the form: whoever may not call it only reads. */
  readonly needs?: EndpointId
  /** The name under which what is written is kept until it is sent. */
  readonly draftKey?: string
  readonly onSubmit: (values: ValuesOf<Shape, Name>) => Promise<unknown>
  readonly children?: ReactNode
}

/** Why it was refused: at its field, where it is about one. */
interface FormProblem {
  readonly text: string
  readonly field: string | undefined
}

/** A form made from the schema that the server validates with: what is required, how long, which words, which characters. */
export function SchemaForm<Shape extends TObject, const Name extends FieldName<Shape>>(
  props: SchemaFormProps<Shape, Name>,
) {
  const { shape, fields, initial = {}, act, needs, draftKey, onSubmit, children } = props
  const [error, setError] = useState<FormProblem | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [draft, setDraft] = useState(() => (draftKey ? sessionDrafts.read(draftKey) : null))
  const [round, setRound] = useState(0)
  const startOver = () => {
    sessionDrafts.remove(draftKey!)
    setDraft(null)
    setError(null)
    setRound(round + 1)
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const values: Record<string, unknown> = Object.fromEntries(
      fields
        .map(({ name }) => [name, asValue(rulesOf(shape, name), String(form.get(name) ?? ''))] as const)
        .filter(([, value]) => value !== undefined),
    )
    setBusy(true)
    setError(null)
    try {
      for (const { name, isMoment } of fields)
        if (isMoment && values[name]) values[name] = await readMoment(String(values[name]))
      await onSubmit(values as ValuesOf<Shape, Name>)
      if (draftKey) sessionDrafts.remove(draftKey)
    } catch (reason) {
      const field = fieldOf(reason as Error)
      setError({ text: showHere(reason as Error), field: fields.find(({ name }) => name === field)?.name })
    }
    setBusy(false)
  }
  return (
    <form
      className="form"
      key={round}
      onSubmit={submit}
      onInput={(event) => {
        if (draftKey) sessionDrafts.write(draftKey, textsOf(event.currentTarget))
      }}
    >
      <Editable needs={needs}>
        {fields.map((field) => (
          <SchemaField
            key={field.name}
            shape={shape}
            field={field}
            initial={draft?.[field.name] ?? initial[field.name]}
            problem={error?.field === field.name ? error.text : undefined}
          />
        ))}
        {children}
      </Editable>
      {error && (
        <p className={error.field === undefined ? 'form-error' : 'hidden'} role="alert">
          {error.text}
        </p>
      )}
      <div className="actions">
        {draft && (
          <Button look="quiet" onClick={startOver}>
            {texts.form.reset}
          </Button>
        )}
        <Button type="submit" look="primary" isBusy={isBusy} {...(needs && { needs })}>
          {act}
        </Button>
      </div>
    </form>
  )
}

const textsOf = (form: HTMLFormElement) =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))

interface SchemaFieldProps {
  readonly shape: TObject
  readonly field: FormField
  readonly initial: unknown
  readonly problem: string | undefined
}

function SchemaField({ shape, field, initial, problem }: SchemaFieldProps) {
  const rules = rulesOf(shape, field.name)
  const { schema, isRequired, isNullable } = rules
  const start = initial ?? schema.default ?? ''
  // One of a few words that is chosen already cannot become none of them, unless the API says so.
  const isChosen = initial !== undefined && schema.enum !== undefined && !isNullable
  const options = field.options ?? schema.enum?.map((value) => ({ value, label: inSentenceCase(value) }))
  if (schema.type === 'boolean')
    return (
      <label className="check">
        <input type="checkbox" name={field.name} value="true" defaultChecked={start === true} />
        <span>
          {field.label}
          {field.hint && <small className="muted">{field.hint}</small>}
        </span>
      </label>
    )
  const common = { name: field.name, defaultValue: String(start) }
  return (
    <Field label={field.label} {...(field.hint && { hint: field.hint })} problem={problem}>
      {(labelled) =>
        options ? (
          <select {...labelled} {...common} required={isRequired}>
            {/* Of things that exist none is chosen for anybody: the first of them would be as good as any. */}
            {schema.default === undefined && !isChosen && (!isRequired || field.options) && (
              <option value="">{isRequired ? texts.form.select : '–'}</option>
            )}
            {options.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        ) : field.isLong ? (
          <textarea {...labelled} {...common} required={isRequired} rows={4} maxLength={schema.maxLength} />
        ) : field.isMoment ? (
          <MomentInput {...labelled} {...common} required={isRequired} placeholder={field.placeholder} />
        ) : (
          <>
            <input
              {...labelled}
              {...common}
              {...constraintsOf(rules)}
              placeholder={field.placeholder}
              {...(field.offers && { list: `${labelled.id}-offers`, autoComplete: 'off' })}
            />
            {field.offers && <Offers id={`${labelled.id}-offers`} offers={field.offers} />}
          </>
        )
      }
    </Field>
  )
}

/** With what it will be below it. */
function MomentInput(props: InputHTMLAttributes<HTMLInputElement>) {
  const [text, setText] = useState(String(props.defaultValue ?? ''))
  return (
    <>
      <input {...props} autoComplete="off" onChange={(event) => setText(event.currentTarget.value)} />
      <WhenEcho text={text} />
    </>
  )
}
