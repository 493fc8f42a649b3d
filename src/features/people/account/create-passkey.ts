import Type from 'typebox'
import { SECRET } from '../../../kernel/http/shapes.ts'
import { RegistrationResponse } from '../passkey-schema.ts'
import { UpdatePasskey } from './schema.ts'

/** Apart from the other shapes: the dashboard has no use for what a browser answers. */
export const CreatePasskey = Type.Object(
  {
    name: UpdatePasskey.properties.name,
    response: Type.Object(RegistrationResponse.properties, {
      description: 'What `navigator.credentials.create` answered, as JSON.',
      ...SECRET,
    }),
  },
  { title: 'CreatePasskey' },
)
