import { lazy, Suspense, useState } from 'react'
import { switchTeam } from '../switch-team.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/states.tsx'
import { texts } from './texts.ts'

const NewTeam = lazy(() => import('../features/team/new-team.tsx').then((module) => ({ default: module.NewTeam })))

/** For somebody who is signed in and in no team: nothing of a page could be read. */
export function NoTeam() {
  const [isMaking, setMaking] = useState(false)
  return (
    <Empty icon="people" title={texts.noTeam.title}>
      <p className="muted">{texts.noTeam.note}</p>
      <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
        {texts.noTeam.create}
      </Button>
      {isMaking && (
        <Suspense>
          <NewTeam isOpen onClose={() => setMaking(false)} onMade={switchTeam} />
        </Suspense>
      )}
    </Empty>
  )
}
