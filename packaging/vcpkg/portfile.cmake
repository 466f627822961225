# A port of vcpkg. The Makefile builds and installs: what is compiled how is said there alone.
vcpkg_download_distfile(ARCHIVE
  URLS "@URL@/sonde-@VERSION@.tar.gz"
  FILENAME "sonde-@VERSION@.tar.gz"
  SHA512 @SHA512@)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")
vcpkg_execute_build_process(
  COMMAND make "-j${VCPKG_CONCURRENCY}" install "BUILD=build" "PREFIX=${CURRENT_PACKAGES_DIR}" "BINDIR=${CURRENT_PACKAGES_DIR}/tools/sonde" "DATADIR=${CURRENT_PACKAGES_DIR}/share/sonde" "WERROR="
  WORKING_DIRECTORY "${SOURCE_PATH}"
  LOGNAME "install-${TARGET_TRIPLET}")
set(VCPKG_POLICY_SKIP_LIB_CMAKE_MERGE_CHECK enabled) # its files find the libraries from where they stand
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
