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
  ['reply', texts.mailOutcome.decisions.reply],
  ['delayed', texts.mailOutcome.decisions.delayed],
  ['greylisted', texts.mailOutcome.decisions.greylisted],
  ['connection_lost', texts.mailOutcome.decisions.connectionLost],
  ['taken', texts.mailOutcome.decisions.taken],
]

/** What the other server says to the mail, and what follows when it was taken. */
export function MailOutcome({ path, outcome, onChange }: MailOutcomeProps) {
  const decision = decisionOf(outcome)
  const consequences = consequencesOf(outcome)
  return (
    <div className="form">
      <h4>{texts.rule.outcome}</h4>
      <ChoiceLine
        path={path}
        label={texts.mailOutcome.server}
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
          label={texts.mailOutcome.addFollowUp}
          trigger={<Button icon="plus">{texts.mailOutcome.addFollowUp}</Button>}
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
        label={texts.mailOutcome.reply}
        hint={texts.mailOutcome.replyHint}
        value={reply}
        onChange={(value) => onChange({ ...outcome, reply: value })}
      />
    )
  if (delayed !== undefined)
    return (
      <TextLine
        path={`${path}.delayed`}
        label={texts.mailOutcome.delay}
        hint={texts.mailOutcome.delayHint}
        value={delayed}
        onChange={(value) => onChange({ ...outcome, delayed: value })}
      />
    )
  if (connection_lost !== undefined)
    return (
      <ChoiceLine
        path={`${path}.connection_lost`}
        label={texts.mailOutcome.connectionLost}
        options={[
          ['before_data', texts.mailOutcome.beforeData],
          ['after_data', texts.mailOutcome.afterData],
        ]}
        value={connection_lost}
        onChange={(value) => onChange({ ...outcome, connection_lost: value })}
      />
    )
  if (greylisted === undefined) return null
  return (
    <NumberLine
      path={`${path}.greylisted`}
      label={texts.mailOutcome.greylisted}
      min={1}
      max={100}
      value={greylisted}
      onChange={(value) => onChange({ ...outcome, greylisted: value })}
    />
  )
}

const CONSEQUENCE_NAMES: Readonly<Record<Consequence, string>> = {
  bounced: texts.followUps.bounced,
  complained: texts.followUps.complained,
  opened: texts.followUps.opened,
  clicked: texts.followUps.clicked,
  unsubscribed: texts.followUps.unsubscribed,
  replied: texts.followUps.replied,
}

const VISITORS = [
  ['person', texts.followUps.byPerson],
  ['privacy_proxy', texts.followUps.byPrivacyProxy],
  ['scanner', texts.followUps.byScanner],
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
          label={texts.rule.removeField(CONSEQUENCE_NAMES[name])}
          onClick={() => onChange(dropConsequence(outcome, name))}
        />
      </legend>
      <TextLine
        path={`${path}.after`}
        label={texts.followUps.after}
        hint={texts.followUps.afterHint}
        value={outcome[name]?.after ?? ''}
        onChange={(text) =>
          onChange({ ...outcome, [name]: withField({ ...outcome[name]! }, 'after', text || undefined) })
        }
      />
      {visit && (
        <ChoiceLine
          path={`${path}.by`}
          label={texts.followUps.by}
          options={VISITORS}
          value={visit.by ?? 'person'}
          onChange={(by) => onChange({ ...outcome, [name]: { ...visit, by } })}
        />
      )}
      {name === 'clicked' && clicked && (
        <TextLine
          path={`${path}.link`}
          label={texts.followUps.link}
          hint={texts.followUps.linkHint}
          value={clicked.link ?? ''}
          onChange={(text) => onChange({ ...outcome, clicked: withField(clicked, 'link', text || undefined) })}
        />
      )}
      {name === 'bounced' && bounced && (
        <TextLine
          path={`${path}.reply`}
          label={texts.followUps.bounceMessage}
          placeholder={texts.followUps.bounceMessagePlaceholder}
          value={bounced.reply ?? ''}
          onChange={(text) => onChange({ ...outcome, bounced: withField(bounced, 'reply', text || undefined) })}
        />
      )}
      {name === 'replied' && replied && (
        <>
          <TextLine
            path={`${path}.text`}
            label={texts.followUps.replyText}
            isLong
            value={replied.text}
            onChange={(text) => onChange({ ...outcome, replied: { ...replied, text } })}
          />
          <TextLine
            path={`${path}.subject`}
            label={texts.followUps.replySubject}
            placeholder={texts.followUps.replySubjectPlaceholder}
            value={replied.subject ?? ''}
            onChange={(text) => onChange({ ...outcome, replied: withField(replied, 'subject', text || undefined) })}
          />
        </>
      )}
    </fieldset>
  )
}
