#!/bin/sh
# The SDK of its registry, and Laravel; or, where that cannot be reached, RESEND_PHP_SOURCE: a checkout of the SDK's sources with
# `vendor/autoload.php`, which may know Laravel too.
set -e
if [ -n "$RESEND_PHP_SOURCE" ]; then
  test -f "$RESEND_PHP_SOURCE/vendor/autoload.php"
  ln -sfn "$RESEND_PHP_SOURCE/vendor" vendor
else
  composer require --quiet --no-interaction resend/resend-php:1.10.0
  composer require --quiet --no-interaction laravel/framework:11.56.0 resend/resend-laravel:1.4.0 || echo 'Laravel cannot be installed with this PHP'
fi
