import { useRef, useState } from 'react'
import { call } from '../../../api.ts'
import { useCall } from '../../../queries.ts'
import { useAct } from '../../../ui/act.ts'
import { Editable } from '../../../ui/allowed.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { useDraft } from '../../../ui/draft.ts'
import { Menu } from '../../../ui/menu.tsx'
import { Card, Code } from '../../../ui/page.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { RefusalProvider, type Refused } from './fields.tsx'
import { MailRule } from './mail-rule.tsx'
import { asWritten, fieldIn, moved, PRESETS, reasonIn, type Scenario } from './rules.ts'
import { SmtpFaults } from './smtp-faults.tsx'
import { WebhookRule } from './webhook-rule.tsx'
import './scenario-tab.css'
import { texts } from '../texts.ts'

/** What the outside world does to a sandbox. */
export function ScenarioTab({ sandbox }: { sandbox: string }) {
  const scenario = useCall('scenario.get', {}, { sandbox })
  if (scenario.isPending) return <Loading />
  if (scenario.isError) return <Failed error={scenario.error} onRetry={() => scenario.refetch()} />
  const { object: _, ...saved } = scenario.data
  return <ScenarioForm sandbox={sandbox} saved={saved} />
}

const VIEWS = [
  ['form', texts.scenario.form],
  ['json', texts.scenario.json],
] as const

interface RouteLocation {
  readonly pathname: string
  readonly search: unknown
}

/** Another tab of the same page is somewhere else as well. */
const isLeft = (current: RouteLocation, next: RouteLocation) =>
  current.pathname !== next.pathname || tabOf(current.search) !== tabOf(next.search)
const tabOf = (search: unknown) => (search as { readonly tab?: string }).tab

function ScenarioForm({ sandbox, saved }: { sandbox: string; saved: Scenario }) {
  const { rules = [], webhooks = [], smtp = {} } = saved
  const { draft, isChanged, change, reset } = useDraft({ rules, webhooks, smtp }, isLeft)
  const [view, setView] = useState<'form' | 'json'>('form')
  const [refused, setRefused] = useState<Refused | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const save = useAct({
    run: () => call('scenario.set', { body: asWritten(draft) }, { sandbox }),
    done: texts.scenario.saved,
    refresh: ['scenario'],
  })
  const submit = async () => {
    setRefused(null)
    try {
      await save.mutateAsync()
      reset()
    } catch (error) {
      const { message } = error as Error
      setRefused({ field: fieldIn(message), reason: reasonIn(message) })
      setView('form')
      // To the field that is meant, once it is marked.
      setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
    }
  }
  const text = JSON.stringify(asWritten(draft), null, 2)
  return (
    <RefusalProvider value={refused}>
      <div className="scenario-bar">
        <Switch label={texts.scenario.view} options={VIEWS} value={view} onChange={setView} />
        <div className="actions">
          {isChanged && (
            <Button
              look="quiet"
              onClick={() => {
                reset()
                setRefused(null)
              }}
            >
              {texts.scenario.discard}
            </Button>
          )}
          <Button look="primary" needs="scenario.set" disabled={!isChanged} isBusy={save.isPending} onClick={submit}>
            {texts.scenario.save}
          </Button>
        </div>
      </div>
      {refused && (
        <p className="form-error" role="alert">
          {refused.field ? `${refused.field}: ${refused.reason}` : refused.reason}
        </p>
      )}
      {view === 'json' ? (
        <>
          <p className="muted">{texts.scenario.jsonNote}</p>
          <Code text={text} label={texts.scenario.jsonLabel} />
          <div className="actions">
            <CopyButton text={text}>{texts.scenario.copy}</CopyButton>
          </div>
        </>
      ) : (
        <form ref={form} onSubmit={(event) => event.preventDefault()}>
          <Editable needs="scenario.set">
            <MailRules rules={draft.rules} onChange={(next) => change({ rules: next })} />
            <WebhookRules rules={draft.webhooks} onChange={(next) => change({ webhooks: next })} />
            <Card title={texts.scenario.smtpPort}>
              <p className="muted">{texts.scenario.smtpPortNote}</p>
              <SmtpFaults smtp={draft.smtp} onChange={(next) => change({ smtp: next })} />
            </Card>
          </Editable>
        </form>
      )}
    </RefusalProvider>
  )
}

/** How a list of rules is changed. */
const editing = <Rule,>(rules: readonly Rule[], onChange: (rules: Rule[]) => void, at: number) => ({
  at,
  rule: rules[at]!,
  count: rules.length,
  onChange: (rule: Rule) => onChange(rules.with(at, rule)),
  onMove: (by: 1 | -1) => onChange(moved(rules, at, by)),
  onDrop: () => onChange(rules.toSpliced(at, 1)),
})

type MailRules = NonNullable<Scenario['rules']>
type WebhookRules = NonNullable<Scenario['webhooks']>

function MailRules({ rules, onChange }: { rules: MailRules; onChange: (rules: MailRules) => void }) {
  return (
    <Card
      title={texts.scenario.mail}
      actions={
        <Menu
          label={texts.scenario.addMailRule}
          trigger={<Button icon="plus">{texts.scenario.addMailRule}</Button>}
          items={PRESETS.map(({ label, rule }) => ({ label, onChoose: () => onChange([...rules, rule]) }))}
        />
      }
    >
      <p className="muted">{rules.length === 0 ? texts.scenario.noMailRules : texts.scenario.mailRules}</p>
      {rules.map((_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rule is its place in the list
        <MailRule key={at} {...editing(rules, onChange, at)} />
      ))}
    </Card>
  )
}

function WebhookRules({ rules, onChange }: { rules: WebhookRules; onChange: (rules: WebhookRules) => void }) {
  return (
    <Card
      title={texts.scenario.webhooks}
      actions={
        <Button icon="plus" onClick={() => onChange([...rules, { outcome: { status: 500, times: 2 } }])}>
          {texts.scenario.addWebhookRule}
        </Button>
      }
    >
      <p className="muted">{rules.length === 0 ? texts.scenario.noWebhookRules : texts.scenario.webhookRules}</p>
      {rules.map((_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rule is its place in the list
        <WebhookRule key={at} {...editing(rules, onChange, at)} />
      ))}
    </Card>
  )
}
