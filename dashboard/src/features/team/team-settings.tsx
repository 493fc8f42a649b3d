import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { UpdateTeam } from '../../../../src/features/teams/schema.ts'
import { call, type Input } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { useAllowed } from '../../ui/allowed.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Card, Facts } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Failed } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { BrandSettings } from './brand-settings.tsx'
import { BroadcastGuardSettings } from './broadcast-guard.tsx'
import { RetentionSettings } from './retention-settings.tsx'
import { texts } from './texts.ts'

/** What the team is called, what its viewers read, how it looks to recipients, and the end of it. */
export function TeamSettings() {
  const isAllowed = useAllowed()
  const queries = useQueryClient()
  // What is in the shell, and who may do what.
  const onChanged = () => queries.invalidateQueries()
  const team = useCall('team.get', {})
  const [isAsking, setAsking] = useState(false)
  const update = useAct({
    run: (body: Input<'team.update'>['body']) => call('team.update', { body }),
    refresh: ['team', 'teams'],
    done: texts.settings.saved,
  })
  const remove = useAct({ run: () => call('team.remove', {}), refresh: ['team', 'teams'] })
  if (team.isError) return <Failed error={team.error} />
  if (!team.data) return null
  const { name, hides_content, created_at, delete_at } = team.data
  const { content } = texts.settings
  return (
    <>
      <Card title={texts.settings.title}>
        {isAllowed('team.update') ? (
          <SchemaForm
            key={`${name} ${hides_content}`}
            shape={UpdateTeam}
            fields={[
              { name: 'name', label: texts.settings.name },
              { name: 'hides_content', ...texts.settings.hideContent },
            ]}
            initial={team.data}
            act={texts.settings.save}
            onSubmit={(values) => update.mutateAsync(values).then(onChanged)}
          />
        ) : (
          <Facts
            facts={[
              [texts.settings.name, name],
              [content.label, hides_content ? content.hidden : content.visible],
              [texts.settings.created, <Time key="created" at={created_at} exact />],
            ]}
          />
        )}
        {delete_at === null && (
          <div className="actions">
            <Button needs="team.remove" look="danger" onClick={() => setAsking(true)}>
              {texts.settings.delete}
            </Button>
          </div>
        )}
        <Confirm
          title={texts.deleteDialog.title(name)}
          note={texts.deleteDialog.note}
          act={texts.deleteDialog.confirm}
          isOpen={isAsking}
          onClose={() => setAsking(false)}
          onConfirm={() => remove.mutateAsync().then(onChanged)}
        />
      </Card>
      {isAllowed('team.update') && <BrandSettings team={team.data} />}
      <BroadcastGuardSettings />
      <RetentionSettings />
    </>
  )
}
