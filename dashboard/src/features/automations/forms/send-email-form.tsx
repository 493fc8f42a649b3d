import { useState } from 'react'
import type { TemplateValue } from '../../../../../src/features/automations/engine/graph.ts'
import { RESERVED_KEYS } from '../../../../../src/features/templates/schema.ts'
import { fillTemplate, namesIn } from '../../../../../src/mail/templates.ts'
import type { Reply } from '../../../api.ts'
import { TemplateOverlay } from '../../../editor/template-overlay.tsx'
import { useCall } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { ChoiceField, TextField } from '../../../ui/field.tsx'
import { HtmlFrame } from '../../../ui/html-frame.tsx'
import { Failed } from '../../../ui/states.tsx'
import type { StepOf } from '../graph.ts'
import { isVariable } from '../sentences.ts'
import { texts } from '../texts.ts'
import { offersAt } from '../variables.ts'
import { present, type StepFormProps } from './form.ts'
import { ValueField, type ValueType } from './value-field.tsx'

export function SendEmailForm(props: StepFormProps<'send_email'>) {
  const { step, resources, onChange } = props
  const { template, subject, from, reply_to } = step.config
  const chosen = useCall('templates.get', { idOrAlias: template.id }, { enabled: template.id !== '' })
  const change = (part: object) => onChange(present({ ...step.config, ...part }))
  const field = (name: 'subject' | 'from' | 'reply_to', value = '') => ({
    value,
    onChange: (text: string) => change({ [name]: text || undefined }),
  })
  const [isEditing, setEditing] = useState(false)
  const isKnown = resources.templates.some(({ value }) => value === template.id)
  return (
    <>
      <ChoiceField
        label={texts.emailForm.template.label}
        hint={texts.emailForm.template.hint}
        none={texts.emailForm.template.choose}
        options={
          isKnown || template.id === ''
            ? resources.templates
            : [...resources.templates, { value: template.id, label: resources.template(template.id) ?? template.id }]
        }
        value={template.id}
        onChange={(id) => change({ template: { id } })}
      />
      {chosen.data && (
        <Button icon="pen" needs="templates.update" onClick={() => setEditing(true)}>
          {texts.emailForm.editEmail}
        </Button>
      )}
      {isEditing && <TemplateOverlay template={template.id} onClose={() => setEditing(false)} />}
      <TextField
        label={texts.emailForm.subject}
        placeholder={chosen.data?.subject ?? ''}
        {...field('subject', subject)}
      />
      <TextField label={texts.emailForm.from} placeholder={chosen.data?.from ?? ''} {...field('from', from)} />
      <TextField label={texts.emailForm.replyTo} {...field('reply_to', reply_to)} />
      {chosen.isError && <Failed error={chosen.error} />}
      {chosen.data && <Gaps {...props} template={chosen.data} />}
      {chosen.data && <Preview step={step} template={chosen.data} />}
    </>
  )
}

type FullTemplate = Reply<'templates.get'>

/** The email, with the names of variables where they will be filled in. */
function Preview({ step, template }: { step: StepOf<'send_email'>; template: FullTemplate }) {
  const values = step.config.template.variables ?? {}
  const filling = (name: string) => {
    const value = values[name] ?? template.variables.find(({ key }) => key === name)?.fallback_value
    if (value === undefined || value === null) return undefined
    return isVariable(value) ? `[${value.var}]` : typeof value === 'string' ? value : JSON.stringify(value)
  }
  const fill = (text: string) => fillTemplate(text, filling).text
  return (
    <div>
      <p className="preview-subject">{fill(step.config.subject || template.subject || texts.emailForm.noSubject)}</p>
      <HtmlFrame html={fill(template.html)} title={texts.emailForm.preview} />
    </div>
  )
}

/** A value for each gap of the template: those that it declares, and those that are only in its text. */
function Gaps({
  step,
  graph,
  resources,
  onChange,
  template,
}: StepFormProps<'send_email'> & { template: FullTemplate }) {
  const values = step.config.template.variables ?? {}
  const offers = offersAt(graph, step.key, resources).map(({ name }) => name)
  const put = (key: string, value: unknown) => {
    const variables = present({ ...values, [key]: value as TemplateValue | undefined }) as Record<string, TemplateValue>
    const { id } = step.config.template
    onChange({ ...step.config, template: Object.keys(variables).length > 0 ? { id, variables } : { id } })
  }
  return gapsOf(template, values).map(({ key, type, none }) => (
    <ValueField
      key={key}
      label={key}
      type={type}
      none={none}
      offers={offers}
      value={values[key]}
      onChange={(value) => put(key, value)}
    />
  ))
}

function gapsOf(template: FullTemplate, values: Readonly<Record<string, unknown>>) {
  const declared = template.variables.map(({ key, type, fallback_value }) => ({
    ...{ key, type: type as ValueType },
    none: fallback_value === null ? texts.emailForm.requiredVariable : texts.emailForm.fallback,
  }))
  const text = [template.subject, template.html, template.text].join('\n')
  const others = [...namesIn(text), ...Object.keys(values)].filter(
    (name, index, all) =>
      all.indexOf(name) === index && !RESERVED_KEYS.includes(name) && !declared.some(({ key }) => key === name),
  )
  return [...declared, ...others.map((key) => ({ key, type: 'string' as ValueType, none: texts.emailForm.fallback }))]
}
