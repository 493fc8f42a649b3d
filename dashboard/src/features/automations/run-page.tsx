import { Link, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { call, type Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Card, Code, Facts, Page } from '../../ui/page.tsx'
import { inSentenceCase } from '../../ui/sentence-case.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { drawn } from './graph.ts'
import { layOut } from './layout.ts'
import { LazyCanvas, useGraphView } from './lazy-canvas.tsx'
import { useResources } from './resources.ts'
import { RunSteps } from './run-steps.tsx'
import { eventText } from './sentences.ts'
import './editor.css'
import { texts } from './texts.ts'

export type FullRun = Reply<'automationRuns.get'>

/** No event says that a run went on, so the page polls. */
const POLL_INTERVAL_MS = 2_000

export function RunPage() {
  const { id } = useParams({ from: '/automation-runs/$id' })
  const run = useCall(
    'automationRuns.get',
    { id },
    { refetchInterval: ({ state }) => (state.data?.status === 'running' ? POLL_INTERVAL_MS : false) },
  )
  if (run.isPending) return <Loading />
  if (run.isError) return <Failed error={run.error} onRetry={() => run.refetch()} />
  return <Run run={run.data} />
}

const TONES: Readonly<Record<FullRun['steps'][number]['status'], Tone>> = {
  pending: 'plain',
  running: 'busy',
  waiting: 'busy',
  completed: 'good',
  failed: 'bad',
  skipped: 'plain',
}

function Run({ run }: { run: FullRun }) {
  const resources = useResources()
  const automation = useCall('automations.get', { id: run.automation_id })
  const [selected, setSelected] = useState<string | null>(null)
  const { isTable, chooser } = useGraphView()
  const graph = useMemo(() => drawn(run.graph), [run.graph])
  const layout = useMemo(() => layOut(graph), [graph])
  const stateOf = new Map(run.steps.map((step) => [step.key, step.status]))
  const title = run.email === null ? texts.run.titleDeletedContact : texts.run.title(run.email)
  return (
    <Page
      title={title}
      heading={
        <>
          {title} <Badge word={run.status} /> {run.is_test && <Badge word={texts.run.test} />}
        </>
      }
      note={
        <Link to="/automations/$id" params={{ id: run.automation_id }}>
          {automation.data?.name ?? texts.run.automation}
        </Link>
      }
      actions={
        <>
          {chooser}
          {run.status === 'running' && <Cancel run={run} />}
        </>
      }
    >
      <div className="editor">
        {isTable ? (
          <RunSteps run={run} graph={graph} order={layout.order} names={resources} />
        ) : (
          <LazyCanvas
            label={texts.view.canvas}
            names={resources}
            {...{ graph, layout, selected }}
            onSelect={setSelected}
            noteOf={(key) => {
              const status = stateOf.get(key)
              return status && { text: inSentenceCase(status), tone: TONES[status] }
            }}
            wordAt={() => undefined}
          />
        )}
        <div>
          <Card title={texts.run.facts.title}>
            <Facts
              facts={[
                [texts.run.facts.started, <Time key="started" at={run.started_at ?? run.created_at} exact />],
                ...(run.completed_at
                  ? [[texts.run.facts.ended, <Time key="ended" at={run.completed_at} exact />] as const]
                  : []),
                ...(run.waits_for ? [[texts.run.facts.waitsUntil, eventText(run.waits_for)] as const] : []),
                ...(run.due_at ? [[texts.run.facts.resumes, <Time key="due" at={run.due_at} exact />] as const] : []),
                ...(run.email
                  ? [
                      [
                        texts.run.facts.contact,
                        run.is_test ? (
                          run.email
                        ) : (
                          <Link key="contact" to="/contacts/$id" params={{ id: run.contact_id }}>
                            {run.email}
                          </Link>
                        ),
                      ] as const,
                    ]
                  : []),
              ]}
            />
          </Card>
          <Card title={texts.run.event.title}>
            <Code text={JSON.stringify(run.event, null, 2)} label={texts.run.event.label} />
          </Card>
        </div>
      </div>
      {!isTable && <RunSteps run={run} graph={graph} order={selected ? [selected] : layout.order} names={resources} />}
    </Page>
  )
}

function Cancel({ run }: { run: FullRun }) {
  const [isOpen, setOpen] = useState(false)
  const cancel = useAct({
    run: () => call('automations.runs.cancel', { id: run.automation_id, runId: run.id }),
    refresh: ['automationRuns', 'automations'],
    done: texts.run.cancelDialog.done,
  })
  return (
    <>
      <Button needs="automations.runs.cancel" onClick={() => setOpen(true)}>
        {texts.run.cancelDialog.open}
      </Button>
      <Confirm
        title={texts.run.cancelDialog.title}
        note={texts.run.cancelDialog.note}
        act={texts.run.cancelDialog.confirm}
        dismiss={texts.run.cancelDialog.dismiss}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={() => cancel.mutateAsync()}
      />
    </>
  )
}
