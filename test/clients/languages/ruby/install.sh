#!/bin/sh
# The SDK of its registry, and what Rails sends mail with; or, where that cannot be reached, a checkout of the SDK's sources in
# RESEND_RUBY_SOURCE, with httparty of the system, and Rails where the system has it.
set -e
if [ -n "$RESEND_RUBY_SOURCE" ]; then
  ruby -e 'require "httparty"'
  mkdir -p sdk
  cp -R "$RESEND_RUBY_SOURCE/lib" sdk/
else
  gem install --silent --no-document --install-dir gems resend:1.10.0
  gem install --silent --no-document --install-dir gems actionmailer:6.1.7.10 railties:6.1.7.10 || echo 'Rails cannot be installed with this Ruby'
fi
