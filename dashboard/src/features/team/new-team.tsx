import { CreateTeam } from '../../../../src/features/teams/schema.ts'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { texts } from './texts.ts'

interface NewTeamProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onMade: (id: string) => void
}

export function NewTeam({ isOpen, onClose, onMade }: NewTeamProps) {
  const make = useAct({ run: (body: { name: string }) => call('teams.create', { body }), refresh: ['teams'] })
  return (
    <Dialog title={texts.newTeam.title} note={texts.newTeam.note} isOpen={isOpen} onClose={onClose}>
      <SchemaForm
        shape={CreateTeam}
        fields={[{ name: 'name', label: texts.newTeam.name }]}
        act={texts.newTeam.create}
        onSubmit={(values) => make.mutateAsync(values).then(({ id }) => onMade(id))}
      />
    </Dialog>
  )
}
