import { Button, IconButton } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { texts } from '../texts.ts'
import { ChoiceLine, NumberLine, TextLine } from './fields.tsx'
import {
  addConsequence,
  CONSEQUENCES,
  type Consequence,
  consequencesOf,
  type Decision,
  decide,
  decisionOf,
  dropConsequence,
  type Outcome,
  withField,
} from './rules.ts'

interface MailOutcomeProps {
  readonly path: string
  readonly outcome: Outcome
  readonly onChange: (outcome: Outcome) => void
}

const DECISION_NAMES: readonly (readonly [Decision | 'taken', string])[] = [
  ['reply', 'replies with an SMTP response'],
  ['delayed', 'accepts after a delay'],
  ['greylisted', 'greylists'],
  ['connection_lost', 'drops the connection'],
  ['taken', 'accepts'],
]

/** What the other server says to the mail, and what follows when it was taken. */
export function MailOutcome({ path, outcome, onChange }: MailOutcomeProps) {
  const decision = decisionOf(outcome)
  const consequences = consequencesOf(outcome)
  return (
    <div className="form">
      <h4>{texts.outcome}</h4>
      <ChoiceLine
        path={path}
        label={texts.receivingServer}
        // Somebody who only takes it is what happens without a rule.
        options={DECISION_NAMES.filter(([name]) => name !== 'taken' || consequences.length > 0)}
        value={decision ?? 'taken'}
        onChange={(name) => onChange(decide(outcome, name === 'taken' ? null : name))}
      />
      <DecisionFields {...{ path, outcome, onChange }} />
      {consequences.map((name) => (
        <ConsequenceFields key={name} path={`${path}.${name}`} {...{ name, outcome, onChange }} />
      ))}
      <div className="actions">
        <Menu
          label={texts.addFollowUp}
          trigger={<Button icon="plus">{texts.followUp}</Button>}
          items={CONSEQUENCES.filter((name) => !consequences.includes(name)).map((name) => ({
            label: CONSEQUENCE_NAMES[name],
            onChoose: () => onChange(addConsequence(outcome, name)),
          }))}
        />
      </div>
    </div>
  )
}

function DecisionFields({ path, outcome, onChange }: MailOutcomeProps) {
  const { reply, delayed, connection_lost, greylisted } = outcome
  if (reply !== undefined)
    return (
      <TextLine
        path={`${path}.reply`}
        label={texts.reply}
        hint={texts.codeText4xxTemporary}
        value={reply}
        onChange={(value) => onChange({ ...outcome, reply: value })}
      />
    )
  if (delayed !== undefined)
    return (
      <TextLine
        path={`${path}.delayed`}
        label={texts.delay}
        hint={texts.example1Hour}
        value={delayed}
        onChange={(value) => onChange({ ...outcome, delayed: value })}
      />
    )
  if (connection_lost !== undefined)
    return (
      <ChoiceLine
        path={`${path}.connection_lost`}
        label={texts.when}
        options={[
          ['before_data', 'before the data was sent'],
          ['after_data', 'after the data, before the response'],
        ]}
        value={connection_lost}
        onChange={(value) => onChange({ ...outcome, connection_lost: value })}
      />
    )
  if (greylisted === undefined) return null
  return (
    <NumberLine
      path={`${path}.greylisted`}
      label={texts.deferredAttempts}
      min={1}
      max={100}
      value={greylisted}
      onChange={(value) => onChange({ ...outcome, greylisted: value })}
    />
  )
}

const CONSEQUENCE_NAMES: Readonly<Record<Consequence, string>> = {
  bounced: texts.bounced,
  complained: texts.markedAsSpam,
  opened: texts.opened,
  clicked: texts.linkClicked,
  unsubscribed: texts.unsubscribed,
  replied: texts.replied,
}

const VISITORS = [
  ['person', 'a person'],
  ['privacy_proxy', 'a privacy proxy'],
  ['scanner', 'a scanner'],
] as const

interface ConsequenceProps extends MailOutcomeProps {
  readonly name: Consequence
}

function ConsequenceFields({ path, name, outcome, onChange }: ConsequenceProps) {
  const { bounced, opened, clicked, replied } = outcome
  const visit = name === 'opened' ? opened : name === 'clicked' ? clicked : undefined
  return (
    <fieldset className="consequence">
      <legend>
        {CONSEQUENCE_NAMES[name]}
        <IconButton
          icon="close"
          label={texts.removeOf(CONSEQUENCE_NAMES[name])}
          onClick={() => onChange(dropConsequence(outcome, name))}
        />
      </legend>
      <TextLine
        path={`${path}.after`}
        label={texts.timeAfterDelivery}
        hint={texts.example10MinutesLeave}
        value={outcome[name]?.after ?? ''}
        onChange={(text) =>
          onChange({ ...outcome, [name]: withField({ ...outcome[name]! }, 'after', text || undefined) })
        }
      />
      {visit && (
        <ChoiceLine
          path={`${path}.by`}
          label={texts.by}
          options={VISITORS}
          value={visit.by ?? 'person'}
          onChange={(by) => onChange({ ...outcome, [name]: { ...visit, by } })}
        />
      )}
      {name === 'clicked' && clicked && (
        <TextLine
          path={`${path}.link`}
          label={texts.link}
          hint={texts.partUrlLeaveEmpty}
          value={clicked.link ?? ''}
          onChange={(text) => onChange({ ...outcome, clicked: withField(clicked, 'link', text || undefined) })}
        />
      )}
      {name === 'bounced' && bounced && (
        <TextLine
          path={`${path}.reply`}
          label={texts.bounceMessage}
          placeholder={texts.n550511}
          value={bounced.reply ?? ''}
          onChange={(text) => onChange({ ...outcome, bounced: withField(bounced, 'reply', text || undefined) })}
        />
      )}
      {name === 'replied' && replied && (
        <>
          <TextLine
            path={`${path}.text`}
            label={texts.text}
            isLong
            value={replied.text}
            onChange={(text) => onChange({ ...outcome, replied: { ...replied, text } })}
          />
          <TextLine
            path={`${path}.subject`}
            label={texts.subject}
            placeholder={texts.re}
            value={replied.subject ?? ''}
            onChange={(text) => onChange({ ...outcome, replied: withField(replied, 'subject', text || undefined) })}
          />
        </>
      )}
    </fieldset>
  )
}
