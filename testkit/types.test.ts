import type { Static } from 'typebox'
import { expectTypeOf, test } from 'vitest'
import type * as messages from '../src/features/messages/schema.ts'
import type * as clock from '../src/features/sandboxes/clock/schema.ts'
import type * as scenario from '../src/features/sandboxes/scenario/schema.ts'
import type * as types from './types.ts'

// The package has types of its own, because those of the server cannot leave it. `tsc` holds them against each other.
test('what the tools for tests call a message, an advance and a scenario is what the API does', () => {
  expectTypeOf<Static<typeof messages.Message>>().toExtend<types.MessageData>()
  expectTypeOf<types.MessageData>().toExtend<Static<typeof messages.Message>>()
  expectTypeOf<Static<typeof messages.MessageItem>>().toExtend<types.MessageItem>()
  expectTypeOf<types.MessageItem>().toExtend<Static<typeof messages.MessageItem>>()
  expectTypeOf<Static<typeof clock.ChangedClock>>().toExtend<types.Advance>()
  expectTypeOf<types.ScenarioData>().toExtend<Static<typeof scenario.Scenario>>()
  expectTypeOf<Static<typeof scenario.Scenario>>().toExtend<types.ScenarioData>()
})
