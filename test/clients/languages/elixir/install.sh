#!/bin/sh
# The SDK of its registry; or, where that cannot be reached, RESEND_ELIXIR_LIBS: a folder with the SDK and what it needs, each
# compiled, as `_build/prod/lib` of a project has them.
set -e
if [ -n "$RESEND_ELIXIR_LIBS" ]; then
  test -f "$RESEND_ELIXIR_LIBS/resend/ebin/resend.app"
  ln -sfn "$RESEND_ELIXIR_LIBS" libs
else
  export MIX_ENV=prod
  mix local.hex --force --if-missing
  mix local.rebar --force --if-missing
  mix deps.get
  mix deps.compile
  ln -sfn _build/prod/lib libs
fi
