import { ChangeRetention } from '../../../../src/features/retention/schema.ts'
import { mapKinds, RETENTION_KINDS } from '../../../../src/mail/retention-kinds.ts'
import { call, type Input } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { Card, Facts } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Failed } from '../../ui/states.tsx'
import { texts } from './texts.ts'

/** How long the team keeps its data. Owners choose, up to what the installation keeps. */
export function RetentionSettings() {
  const isAllowed = useAllowed()
  const retention = useCall('team.retention.get', {})
  const update = useAct({
    run: (body: Input<'team.retention.update'>['body']) => call('team.retention.update', { body }),
    refresh: ['team.retention'],
    done: texts.settings.saved,
  })
  if (retention.isError) return <Failed error={retention.error} />
  if (!retention.data) return null
  const { data } = retention
  const { title, note, kinds, hint, save } = texts.retention
  return (
    <Card title={title}>
      {isAllowed('team.retention.update') ? (
        <>
          <p className="muted">{note}</p>
          <SchemaForm
            key={JSON.stringify(data)}
            shape={ChangeRetention}
            fields={RETENTION_KINDS.map((kind) => ({
              name: kind,
              label: kinds[kind],
              hint: hint(data[kind].max),
              placeholder: data[kind].max,
            }))}
            initial={mapKinds((kind) => data[kind].own ?? '')}
            act={save}
            onSubmit={(values) => update.mutateAsync(values)}
          />
        </>
      ) : (
        <Facts facts={RETENTION_KINDS.map((kind) => [kinds[kind], data[kind].period])} />
      )}
    </Card>
  )
}
