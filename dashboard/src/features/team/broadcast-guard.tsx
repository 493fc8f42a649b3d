import { UpdateBroadcastGuard } from '../../../../src/features/broadcasts/schema.ts'
import { call, type Input } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { Card } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { texts } from './texts.ts'

/** When broadcasts stop themselves. */
export function BroadcastGuardSettings() {
  const isAllowed = useAllowed()
  const guard = useCall('broadcast-guard.get', {})
  const update = useAct({
    run: (body: Input<'broadcast-guard.update'>['body']) => call('broadcast-guard.update', { body }),
    refresh: ['broadcast-guard'],
    done: texts.guard.saved,
  })
  if (!guard.data || !isAllowed('broadcast-guard.update')) return null
  const { fields } = texts.guard
  return (
    <Card title={texts.guard.title}>
      <SchemaForm
        key={JSON.stringify(guard.data)}
        shape={UpdateBroadcastGuard}
        fields={[
          { name: 'enabled', ...fields.enabled },
          { name: 'min_emails', ...fields.minEmails },
          { name: 'max_bounce_rate', ...fields.maxBounceRate },
          { name: 'max_complaint_rate', ...fields.maxComplaintRate },
        ]}
        initial={guard.data}
        act={texts.guard.save}
        onSubmit={(values) => update.mutateAsync(values)}
      />
    </Card>
  )
}
