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

/** What the team is called, what its viewers read, and the end of it. */
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
    done: 'Saved',
  })
  const remove = useAct({ run: () => call('team.remove', {}), refresh: ['team', 'teams'] })
  if (team.isError) return <Failed error={team.error} />
  if (!team.data) return null
  const { name, hides_content, created_at, delete_at } = team.data
  return (
    <Card title="Team">
      {isAllowed('team.update') ? (
        <SchemaForm
          key={`${name} ${hides_content}`}
          shape={UpdateTeam}
          fields={[
            { name: 'name', label: 'Name' },
            {
              name: 'hides_content',
              label: 'Viewers do not read messages',
              hint: 'They still see who wrote to whom, when, and what became of it.',
            },
          ]}
          initial={team.data}
          act="Save"
          onSubmit={(values) => update.mutateAsync(values).then(onChanged)}
        />
      ) : (
        <Facts
          facts={[
            ['Name', name],
            ['Viewers', hides_content ? 'do not read messages' : 'read messages'],
            ['Created', <Time key="created" at={created_at} exact />],
          ]}
        />
      )}
      {delete_at === null && (
        <div className="actions">
          <Button needs="team.remove" look="danger" onClick={() => setAsking(true)}>
            Delete the team
          </Button>
        </div>
      )}
      <Confirm
        title={`Delete “${name}”?`}
        note="At once its keys stop working, its mail is held, and its people can only look. In seven days everything of it is deleted: mail, contacts, domains, keys. Until then an owner can restore it."
        act="Delete the team"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutateAsync().then(onChanged)}
      />
    </Card>
  )
}
