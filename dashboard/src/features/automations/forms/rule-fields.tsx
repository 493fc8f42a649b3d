import type { Operator, Rule, Scalar } from '../../../../../src/features/automations/engine/graph.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { type FieldType, type Offer, offersAt } from '../variables.ts'
import { FieldChoice } from './field-choice.tsx'
import type { StepFormProps } from './form.ts'
import { FixedInput } from './value-field.tsx'
import './rule-fields.css'
import { texts } from '../texts.ts'

type Group = Extract<Rule, { rules: unknown }>
type Comparison = Extract<Rule, { type: 'rule' }>

export const FIRST_RULE: Comparison = { type: 'rule', field: '', operator: 'eq', value: '' }

/** Deeper is for programs. */
const DEEPEST = 3

interface RuleProps<One extends Rule> {
  readonly rule: One
  readonly offers: readonly Offer[]
  readonly depth?: number
  readonly onChange: (rule: Rule) => void
  readonly onRemove?: (() => void) | undefined
}

export function ConditionForm({ step, graph, resources, onChange }: StepFormProps<'condition'>) {
  return <RuleFields rule={step.config} offers={offersAt(graph, step.key, resources)} onChange={onChange} />
}

/** A rule, or a group of them with groups inside. */
export function RuleFields({ rule, ...rest }: RuleProps<Rule>) {
  return rule.type === 'rule' ? <ComparisonFields rule={rule} {...rest} /> : <GroupFields rule={rule} {...rest} />
}

function GroupFields({ rule, offers, depth = 1, onChange, onRemove }: RuleProps<Group>) {
  const { type, rules } = rule
  const put = (next: readonly Rule[]) => onChange({ type, rules: next })
  return (
    <fieldset className="rule-group">
      <legend className="hidden">{texts.rules.legend}</legend>
      <div className="rule-head">
        <select
          aria-label={texts.rules.match.label}
          value={type}
          onChange={(event) => onChange({ type: event.currentTarget.value as Group['type'], rules })}
        >
          <option value="and">{texts.rules.match.and}</option>
          <option value="or">{texts.rules.match.or}</option>
        </select>
        {onRemove && <IconButton icon="close" label={texts.rules.removeGroup} onClick={onRemove} />}
      </div>
      {rules.map((one, index) => (
        <RuleFields
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no identity but their place
          key={index}
          rule={one}
          offers={offers}
          depth={depth + 1}
          onChange={(changed) => put(rules.with(index, changed))}
          onRemove={rules.length > 1 ? () => put(rules.toSpliced(index, 1)) : undefined}
        />
      ))}
      <div className="actions">
        <Button icon="plus" onClick={() => put([...rules, FIRST_RULE])}>
          {texts.rules.addRule}
        </Button>
        {depth < DEEPEST && (
          <Button
            icon="plus"
            onClick={() => put([...rules, { type: type === 'and' ? 'or' : 'and', rules: [FIRST_RULE] }])}
          >
            {texts.rules.addGroup}
          </Button>
        )}
      </div>
    </fieldset>
  )
}

const NUMBERS: readonly Operator[] = ['gt', 'gte', 'lt', 'lte']
const QUESTIONS: readonly Operator[] = ['exists', 'is_empty']
const EQUALITY: readonly Operator[] = ['eq', 'neq']

function ComparisonFields({ rule, offers, onChange, onRemove }: RuleProps<Comparison>) {
  const { field, operator, value } = rule
  const put = (next: { field?: string; operator?: Operator; value?: Scalar | null }) => {
    const { value: given, ...rest } = { ...rule, ...next }
    if (QUESTIONS.includes(rest.operator)) onChange(rest)
    else if (NUMBERS.includes(rest.operator)) onChange({ ...rest, value: Number(given) || 0 })
    else onChange({ ...rest, value: given === undefined ? '' : given })
  }
  const type = NUMBERS.includes(operator)
    ? 'number'
    : EQUALITY.includes(operator)
      ? typeOf(value, offers.find(({ name }) => name === field)?.type)
      : 'string'
  return (
    <div className="rule">
      <FieldChoice value={field} offers={offers} onChange={(name) => put({ field: name })} />
      <select
        aria-label={texts.rules.comparison}
        value={operator}
        onChange={(event) => put({ operator: event.currentTarget.value as Operator })}
      >
        {Object.entries(texts.rules.operators).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      {EQUALITY.includes(operator) && <KindChoice type={type} onChange={(next) => put({ value: FIRST_OF[next] })} />}
      {!QUESTIONS.includes(operator) && type !== 'null' && (
        <FixedInput
          key={type}
          label={texts.rules.value}
          type={type}
          value={value ?? FIRST_OF[type]!}
          onChange={(next) => put({ value: next as Scalar })}
        />
      )}
      {onRemove && <IconButton icon="close" label={texts.rules.removeRule} onClick={onRemove} />}
    </div>
  )
}

type Kind = 'string' | 'number' | 'boolean' | 'null'

const FIRST_OF = { string: '', number: 0, boolean: true, null: null } as const

/** What the value is; while nothing is written, what the field is. */
function typeOf(value: Scalar | null | undefined, resources: FieldType | undefined): Kind {
  if (value === null) return 'null'
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as 'number' | 'boolean'
  return value === '' && resources === 'number' ? 'number' : 'string'
}

const KindChoice = ({ type, onChange }: { type: Kind; onChange: (kind: Kind) => void }) => (
  <select
    aria-label={texts.rules.valueType.label}
    value={type}
    onChange={(event) => onChange(event.currentTarget.value as Kind)}
  >
    <option value="string">{texts.rules.valueType.string}</option>
    <option value="number">{texts.rules.valueType.number}</option>
    <option value="boolean">{texts.rules.valueType.boolean}</option>
    <option value="null">{texts.rules.valueType.null}</option>
  </select>
)
