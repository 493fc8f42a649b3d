import { useState } from 'react'
import { NewTeam } from '../features/team/new-team.tsx'
import { switchTeam } from '../switch-team.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/states.tsx'

/** For somebody who is signed in and in no team: nothing of a page could be read. */
export function NoTeam() {
  const [isMaking, setMaking] = useState(false)
  return (
    <Empty icon="people" title="No team yet">
      <p className="muted">Ask for an invitation, or create a team.</p>
      <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
        New team
      </Button>
      <NewTeam isOpen={isMaking} onClose={() => setMaking(false)} onMade={switchTeam} />
    </Empty>
  )
}
