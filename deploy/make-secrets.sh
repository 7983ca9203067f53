#!/bin/sh
# Creates the secrets of docker-compose.yml. Existing secrets stay unchanged.
#   deploy/make-secrets.sh [FOLDER]        by default deploy/secrets
set -eu
folder=${1:-$(dirname "$0")/secrets}

# Compose mounts the files unchanged into containers of several users, so every user may read a file,
# but only the owner may open the folder.
umask 022
mkdir -p "$folder"
chmod 700 "$folder"

random() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

# keep NAME TEXT: writes a secret unless it exists, completely or not at all.
keep() {
  [ -e "$folder/$1" ] && return
  printf '%s' "$2" >"$folder/$1.new"
  chmod 644 "$folder/$1.new"
  mv "$folder/$1.new" "$folder/$1"
  echo "made $folder/$1"
}

secret() {
  cat "$folder/$1"
}

keep gateway-secret "$(random)"
keep caller-keys "$(random)
"
keep postgres-password "$(random)"
keep postgres-owner-password "$(random)"
keep postgres-service-password "$(random)"
keep postgres-worker-password "$(random)"
keep redis-password "$(random)"

keep database-url "postgres://gateway_app:$(secret postgres-service-password)@postgres:5432/gateway"
keep worker-database-url "postgres://gateway_jobs:$(secret postgres-worker-password)@postgres:5432/gateway"
keep migrate-database-url "postgres://gateway_owner:$(secret postgres-owner-password)@postgres:5432/gateway"
keep redis-url "redis://:$(secret redis-password)@redis:6379/0"
# Redis itself has only the hash of the password, and its clients cannot reconfigure it.
hash=$(secret redis-password | sha256sum | cut -d ' ' -f 1)
keep redis-users "user default on #$hash ~* &* +@all -@admin
"
